"""Relations as rows of bits: by hand and in bulk the same."""

from __future__ import annotations

import random

import pytest

from smtalloc.bitsets import bits, bitset, restrict, transpose


def random_rows(rows: int, columns: int, seed: int) -> list[int]:
    chance = random.Random(seed)
    return [chance.getrandbits(columns) if columns else 0 for _ in range(rows)]


@pytest.mark.parametrize(("rows", "columns"), [(0, 0), (1, 1), (7, 7), (9, 130), (129, 129), (200, 131), (640, 513)])
def test_transpose_turns_pairs_round(rows: int, columns: int) -> None:
    relation = random_rows(rows, columns, rows)
    turned = transpose(relation, columns)
    assert len(turned) == columns
    assert {(j, i) for i, row in enumerate(relation) for j in bits(row)} == {
        (i, j) for i, row in enumerate(turned) for j in bits(row)
    }


@pytest.mark.parametrize(("size", "kept"), [(5, 3), (300, 40), (300, 200), (300, 300)])
def test_restrict_renumbers_both_ways(size: int, kept: int) -> None:
    relation = random_rows(size, size, size)
    members = random.Random(kept).sample(range(size), kept)
    found, converse = restrict(relation, members)
    expected = {(a, b) for a, i in enumerate(members) for b, j in enumerate(members) if relation[i] >> j & 1}
    assert {(a, b) for a, row in enumerate(found) for b in bits(row)} == expected
    assert {(a, b) for b, row in enumerate(converse) for a in bits(row)} == expected


def test_bits_and_bitset_are_inverse() -> None:
    assert list(bits(bitset([5, 0, 200, 5]))) == [0, 5, 200]
    assert bitset(()) == 0
