"""Sets of small integers as Python integers, and square relations as rows of them.

Bit j of a bitset stands for element j. A relation over n elements is a sequence of n bitsets: bit j of row i says that
i is related to j. Python's own loops are enough up to some hundred elements; beyond, numpy moves whole rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

_BY_HAND = 128
"""Up to so many elements loops are faster than loading and calling numpy."""
_BLOCK = 64  # bytes of each row


def bits(mask: int) -> Iterator[int]:
    """The members of a bitset, smallest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def bitset(members: Iterable[int]) -> int:
    mask = 0
    for member in members:
        mask |= 1 << member
    return mask


def transpose(rows: Sequence[int], columns: int | None = None) -> list[int]:
    """The converse of a relation: bit i of row j where row i had bit j. `columns`: how many, if not as many as rows."""
    width = len(rows) if columns is None else columns
    if min(len(rows), width) > _BY_HAND:
        return _transpose_in_bulk(rows, width)
    found = [0] * width
    for i, row in enumerate(rows):
        for j in bits(row):
            found[j] |= 1 << i
    return found


def restrict(rows: Sequence[int], members: Sequence[int]) -> tuple[list[int], list[int]]:
    """The relation among some elements, numbered by their place in `members`, and its converse."""
    chosen = [rows[member] for member in members]
    if len(members) > _BY_HAND:
        turned = transpose(chosen, len(rows))
        converse = [turned[member] for member in members]
        return transpose(converse), converse
    place = {member: position for position, member in enumerate(members)}
    inside = bitset(members)
    found = [bitset(place[other] for other in bits(row & inside)) for row in chosen]
    return found, transpose(found)


def _transpose_in_bulk(rows: Sequence[int], width: int) -> list[int]:
    """With a byte per bit in between, for a block of columns at a time."""
    import numpy as np  # noqa: PLC0415  a heavy module, loaded when first used

    length = -(-width // 8)
    packed = np.frombuffer(b"".join(row.to_bytes(length, "little") for row in rows), dtype=np.uint8)
    packed = packed.reshape(len(rows), length)
    found: list[int] = []
    for first in range(0, length, _BLOCK):
        block = np.unpackbits(packed[:, first : first + _BLOCK], axis=1, bitorder="little")
        turned = np.packbits(block, axis=0, bitorder="little").T
        found += [int.from_bytes(row.tobytes(), "little") for row in turned]
    return found[:width]
