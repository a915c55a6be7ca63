/* Colours from the server's tokens. They are decorations that move with every edit, so colour never flickers; an answer
   about an older text is carried forward through the changes made since. */
import { RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

/* {from, to, tokens, kinds} in the text that was sent, and `since`: what changed after it was sent. */
export const setTokens = StateEffect.define();

const marks = new Map();

function markOf(kind) {
  // What is typed at the end of a word looks like the word until the answer comes.
  if (!marks.has(kind)) marks.set(kind, Decoration.mark({ class: `t-${kind}`, inclusiveEnd: true }));
  return marks.get(kind);
}

/* Flat numbers (gap, length, kind) as decorations. */
function decorations({ from, tokens, kinds }) {
  const builder = new RangeSetBuilder();
  let at = from;
  for (let n = 0; n < tokens.length; n += 3) {
    const start = at + tokens[n];
    at = start + tokens[n + 1];
    builder.add(start, at, markOf(kinds[tokens[n + 2]]));
  }
  return builder.finish();
}

function patch(old, { since, ...answer }) {
  const fresh = decorations(answer).map(since);
  const from = since.mapPos(answer.from, -1), to = since.mapPos(answer.to, 1);
  const add = [];
  fresh.between(from, to, (start, end, value) => { add.push(value.range(start, end)); });
  return old.update({ filterFrom: from, filterTo: to, filter: (start, end) => end <= from || start >= to, add });
}

export const tokenColours = StateField.define({
  create: () => Decoration.none,
  update(colours, transaction) {
    colours = colours.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setTokens)) colours = patch(colours, effect.value);
    return colours;
  },
  provide: (field) => EditorView.decorations.from(field),
});
