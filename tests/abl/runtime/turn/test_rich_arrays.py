"""Arrays of rich content that come from a variable (docs/spec 09 §14)."""

import pytest

from tests.abl.runtime.harness import events_of, session

AGENT = """FLOW:
  steps: [a]
  a:
    REASONING: false
    SET: rows = [{{"t": "A", "v": 1}}, {{"t": "B", "v": 2}}]
    RESPOND: "Hi"
      FORMATS:
        LIST:
          items: {{from: {name}, template: {{title: "{{{{t}}}}"}}}}
        CAROUSEL:
          from: {name}
          template:
            title: "{{{{t}}}}!"
        TABLE:
          columns:
            - {{key: t, header: T}}
          rows:
            from: {name}
            template: {{t: "{{{{t}}}}"}}
        CHART:
          type: bar
          data: {{from: {name}, template: {{label: "{{{{t}}}}", value: "{{{{v}}}}"}}}}
    THEN: COMPLETE
"""


@pytest.mark.parametrize("name", ["rows", '"{{rows}}"', '"{{ rows }}"'])
def test_the_name_of_an_array_may_stand_in_braces(name):
    turn = session(AGENT.format(name=name)).start()
    shown = events_of(turn, "respond")[0]["formats"]
    assert shown["LIST"]["items"] == [{"title": "A"}, {"title": "B"}]
    assert shown["CAROUSEL"] == [{"title": "A!"}, {"title": "B!"}]
    assert shown["TABLE"]["rows"] == [{"t": "A"}, {"t": "B"}]
    assert shown["CHART"]["data"] == [{"label": "A", "value": 1}, {"label": "B", "value": 2}]
