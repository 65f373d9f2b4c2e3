"""Sets of small integers as Python integers, and square relations as rows of them.

Bit j of a bitset stands for element j. A relation over n elements is a sequence of n bitsets: bit j of row i says that
i is related to j. Python's own loops are enough up to some hundred elements; beyond, numpy moves whole rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Matrix = np.ndarray[Any, np.dtype[np.uint8]]

_BY_HAND = 128
"""Up to so many elements loops are faster than loading and calling numpy."""


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


def transpose(rows: Sequence[int]) -> list[int]:
    """The converse of a relation: bit i of row j where row i had bit j."""
    size = len(rows)
    if size > _BY_HAND:
        return _rows(_matrix(rows, size).T)
    found = [0] * size
    for i, row in enumerate(rows):
        for j in bits(row):
            found[j] |= 1 << i
    return found


def restrict(rows: Sequence[int], members: Sequence[int]) -> list[int]:
    """The relation among some elements, numbered by their place in `members`."""
    if members == range(len(rows)):
        return list(rows)
    if len(members) > _BY_HAND:
        width = max(len(rows), max(members) + 1)
        return _rows(_matrix([rows[member] for member in members], width)[:, list(members)])
    place = {member: position for position, member in enumerate(members)}
    inside = bitset(members)
    return [bitset(place[other] for other in bits(rows[member] & inside)) for member in members]


def _matrix(rows: Sequence[int], width: int) -> Matrix:
    """One byte per bit."""
    import numpy as np  # noqa: PLC0415  a heavy module, loaded when first used

    length = -(-width // 8)
    packed = np.frombuffer(b"".join(row.to_bytes(length, "little") for row in rows), dtype=np.uint8)
    return np.unpackbits(packed.reshape(len(rows), length), axis=1, count=width, bitorder="little")


def _rows(matrix: Matrix) -> list[int]:
    import numpy as np  # noqa: PLC0415  a heavy module, loaded when first used

    packed = np.packbits(matrix, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]
