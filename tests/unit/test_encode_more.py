"""The encodings of arenas and the further ones of slots: standard text, every definition explained and used."""

from __future__ import annotations

import re

import pytest
from arena_cases import HARD

from smtalloc.arena_tasks import pool_task
from smtalloc.bounds import Task
from smtalloc.encode import definitions, encodings_dir
from smtalloc.encode_arena import ArenaEncoding, alike, arena_query, levels_size
from smtalloc.encode_slots import bits_query, leader_query
from smtalloc.packing import POOL, ArenaProblem, Block, Gap
from smtalloc.solvers.base import Status
from smtalloc.solvers.z3 import Z3

NAMES = (*(f"arena_{encoding}" for encoding in ArenaEncoding), "slots_leader", "slots_bits")
DEFINITION = re.compile(r"^\(define-fun (\S+)", re.MULTILINE)

# something of everything: pins, alignment, forbidden bytes (at the start, and above), windows, equal blocks
RICH = ArenaProblem(
    "rich",
    (
        Block("a", 4, life=(0, 4)),
        Block("b", 4, life=(0, 4)),
        Block("c", 4, 8, life=(1, 3)),
        Block("d", 2, life=(2, 3), offset=14),
        Block("e", 2, life=(0, 4), gaps=(Gap(1, 2, (1, 2)),)),
        Block("f", 1, life=(1, 2), forbidden=((0, 1), (3, 5))),
    ),
)
TASK = Task((0, 1, 2, 3), (4, 4, 2, 2), (0b1100, 0, 0, 0), (0, 0, 0b0001, 0b0001), False)
"""The first is before the last two, and nothing else: 10 bytes."""


@pytest.mark.parametrize("name", NAMES)
def test_each_file_is_read_by_z3_and_explained(name: str) -> None:
    text = definitions(name)
    assert Z3().solve(text).status is Status.SAT
    assert DEFINITION.findall(text)
    for found in DEFINITION.finditer(text):
        block = text[: found.start()].rsplit("\n\n", 1)[-1]
        assert block.startswith(";"), f"{name}: {found[1]} has no comment"
    assert f"`{name}.smt2`" in (encodings_dir() / "README.md").read_text()


@pytest.mark.parametrize("encoding", list(ArenaEncoding))
def test_every_definition_is_used_and_nothing_else_constrains(encoding: ArenaEncoding) -> None:
    text = arena_query(pool_task(RICH, POOL), 20, encoding)
    names = set(DEFINITION.findall(definitions(f"arena_{encoding}")))
    used = set(re.findall(r"^\(assert \((\w+) ", text, re.MULTILINE)) | set(
        re.findall(r"\((beyond|within) ", text.split("(declare", 1)[1])
    )
    assert used == names
    for line in text.splitlines():
        if line.startswith("(assert"):
            assert re.match(r"\(assert (\((\w+) |below_)", line), line


@pytest.mark.parametrize("query", [leader_query, bits_query])
def test_the_further_slot_encodings_use_every_definition(query: object) -> None:
    assert callable(query)
    text = str(query(TASK, 10))
    name = "slots_leader" if query is leader_query else "slots_bits"
    for definition in DEFINITION.findall(definitions(name)):
        assert f"({definition} " in text.split("(declare", 1)[1] or definition == "opens", definition
    assert Z3().solve(text).status is Status.SAT
    assert Z3().solve(str(query(TASK, 9))).status is Status.UNSAT
    assert Z3().solve(str(query(TASK, -1))).status is Status.UNSAT


@pytest.mark.parametrize("encoding", list(ArenaEncoding))
def test_all_see_that_the_hard_problem_needs_seven_bytes(encoding: ArenaEncoding) -> None:
    task = pool_task(HARD, POOL)
    assert Z3().solve(arena_query(task, 7, encoding)).status is Status.SAT
    assert Z3().solve(arena_query(task, 6, encoding)).status is Status.UNSAT


def test_equal_pieces_are_found_and_put_in_order() -> None:
    task = pool_task(RICH, POOL)
    assert alike(task) == [[0, 1]]
    assert "(assert (first_below o_0 4 o_1))" in arena_query(task, 20, ArenaEncoding.OFFSETS)
    assert "first_below o_" not in arena_query(task, 20, ArenaEncoding.OFFSETS, symmetry=False).split("(declare", 1)[1]


def test_the_size_of_the_levels_is_known_before_they_are_written() -> None:
    task = pool_task(HARD, POOL)
    lines = arena_query(task, 9, ArenaEncoding.LEVELS).count("(assert")
    assert lines <= levels_size(task, 9) <= 3 * lines
