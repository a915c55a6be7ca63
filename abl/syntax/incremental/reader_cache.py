"""What readers made of blocks, cached with the blocks, so that an unchanged block is not read again.

Only readers whose result depends on the block, on their other arguments and on the form of the file may be ``kept``,
and only what they read without a finding is: findings name lines and quote the text around.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from abl.syntax.incremental.relocation import Move, origin_of
from abl.syntax.nodes import Block, Node, Reading, Unit
from abl.syntax.readers.context import Context
from abl.syntax.readers.flow_style import in_lines

Args = ParamSpec("Args")
Read = TypeVar("Read", bound=Node | tuple[Any, ...] | None)
Reader = Callable[Concatenate[Context, Block, Args], Read]


def kept(read: Reader[Args, Read]) -> Reader[Args, Read]:
    """The reader of one entry (a step, a rule, a variable ...), which remembers what it read."""

    @wraps(read)
    def reader(ctx: Context, block: Block, *args: Args.args, **kwargs: Args.kwargs) -> Read:
        origin, shift = origin_of(block)
        circumstances = (reader, args, kwargs, ctx.yaml, ctx.mixed)
        reading: Reading | None = getattr(origin, "reading", None)
        if reading is None or reading.circumstances != circumstances:
            before = ctx.noticed
            read_now = read(ctx, in_lines(ctx, block), *args, **kwargs)
            if read_now is None or ctx.noticed != before or ctx.full:
                return read_now
            reading = Reading(circumstances, shift, read_now, {})
            object.__setattr__(origin, "reading", reading)
        return cast(Read, _placed(ctx, reading, shift))

    return cast(Reader[Args, Read], reader)


def read_again(
    reader: Reader[Args, Read], ctx: Context, block: Block, *args: Args.args, **kwargs: Args.kwargs
) -> Read | None:
    """What a kept reader has made of a block before, for callers that would find out first what the block is."""
    origin, shift = origin_of(block)
    reading: Reading | None = getattr(origin, "reading", None)
    if reading is None or reading.circumstances != (reader, args, kwargs, ctx.yaml, ctx.mixed):
        return None
    return cast(Read, _placed(ctx, reading, shift))


def _placed(ctx: Context, reading: Reading, shift: int) -> Any:
    """What was read, where its block stands now."""
    move = Move(shift - reading.shift) if shift != reading.shift else None
    found = reading.node if move is None else move.of(reading.node)
    if isinstance(found, Node):
        ctx.units[id(found)] = Unit(reading, move)
    return found
