"""MiniMalloc's CSV: all columns in and out, and one line with the place for every error."""

from __future__ import annotations

import pytest
from arena_cases import problems
from hypothesis import assume, given, settings
from support import SHARED, needs_shared

from smtalloc.allocate_arena import plan_arena
from smtalloc.minimalloc import read_csv, write_csv
from smtalloc.packing import POOL, ArenaProblem, Block, Gap, PoolLimits, require_valid
from smtalloc.plan import Arena, OptimalArena, Pool
from smtalloc.program import InputError


def read(text: str) -> ArenaProblem:
    return read_csv(text, "x.csv", name="x")


def test_all_columns() -> None:
    text = "id,lower,upper,size,alignment,hint,gaps,offset\na,0,9,4096,64,128,2-3 4-6@0:1024,192\nb,3,3,0,1,-1,,-1\n"
    assert read(text).blocks == (
        Block("a", 4096, 64, POOL, (0, 9), (Gap(2, 3), Gap(4, 6, (0, 1024))), 192, hint=128),
        Block("b", 0, 1, POOL, (3, 3)),
    )


@pytest.mark.parametrize("header", ["buffer,start,upper,size", "buffer_id,begin,upper,size", "id,lower,upper,size"])
def test_other_names_of_columns(header: str) -> None:
    assert read(f"{header}\na,1,4,8\n").blocks == (Block("a", 8, life=(1, 4)),)


def test_an_inclusive_end_is_one_further_and_so_are_its_gaps() -> None:
    blocks = read("id,lower,end,size,gaps\na,0,9,8,2-3\n").blocks
    assert blocks == (Block("a", 8, life=(0, 10), gaps=(Gap(2, 4),)),)


def test_blank_lines_crlf_marks_quotes_and_columns_in_any_order() -> None:
    text = '\ufeffsize,id,upper,lower\r\n\r\n8,"a,1",4,1\r\n\r\n4,"b""",2,0\r\n'
    assert read(text).blocks == (Block("a,1", 8, life=(1, 4)), Block('b"', 4, life=(0, 2)))


def test_gaps_outside_the_life_are_cut() -> None:
    assert read("id,lower,upper,size,gaps\na,2,6,8,0-3 8-9\n").blocks[0].gaps == (Gap(2, 3),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.csv:1:1: no header"),
        ("\n\n", "x.csv:1:1: no header"),
        ("id,lower,size\n", "x.csv:1:1: needs exactly one of the columns"),
        ("id,lower,upper,end,size\n", "x.csv:1:1: needs exactly one of the columns"),
        ("lower,upper,size\n", "x.csv:1:1: the column 'id' is missing"),
        ("id,buffer,lower,upper,size\n", "x.csv:1:4: the column 'id' occurs twice"),
        ("id,lower,upper,size,color\n", "x.csv:1:21: unknown column 'color'"),
        ("id,lower,upper,size\na,0,1\n", "x.csv:2:1: has 3 fields, the header 4"),
        ("id,lower,upper,size\na,0,x,4\n", "x.csv:2:5: 'x' is not an integer"),
        ("id,lower,upper,size\na,0,1,4.5\n", "x.csv:2:7: '4.5' is not an integer"),
        ("id,lower,upper,size\na,0,1,4\na,0,1,4\n", "x.csv:3:1: the id 'a' is taken already in line 2"),
        ("id,lower,upper,size\na,5,1,4\n", "x.csv:2:1: block 'a': it ends at 1, before it starts at 5"),
        ("id,lower,upper,size\na,0,1,-4\n", "x.csv:2:1: block 'a': its size is negative"),
        ("id,lower,upper,size,alignment\na,0,1,4,0\n", "x.csv:2:1: block 'a': its alignment is not positive"),
        ("id,lower,upper,size,gaps\na,0,9,4,1:2\n", "x.csv:2:9: '1:2' is not a gap"),
        ("id,lower,upper,size,gaps\na,0,9,4,1-5 2-3\n", "x.csv:2:1: block 'a': the gap 2-3 is outside"),
        ("id,lower,upper,size,gaps\na,0,9,4,1-5@2:9\n", "x.csv:2:1: block 'a': the window 2:9 is not inside"),
        ("id,lower,upper,size,alignment,offset\na,0,1,4,8,4\n", "x.csv:2:1: block 'a': it is pinned at 4"),
        ('id,lower,upper,size\n"a"b,0,1,4\n', "x.csv:2:4: text behind a closing quote"),
    ],
)
def test_errors_say_where(text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read(text)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


@settings(deadline=None, derandomize=True, max_examples=200)
@given(problems())
def test_what_is_written_is_read_again(problem: ArenaProblem) -> None:
    try:
        require_valid(problem)
        text = write_csv(problem)
    except InputError:
        assume(False)
        return
    again = read_csv(text, "x", name="p", capacity_bytes=problem.limits[0].capacity_bytes)
    assert again.blocks == tuple(problem.blocks)
    assert again.limits == problem.limits


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (ArenaProblem("p", (Block("a", 1),), apart=(0,)), "no intervals"),
        (ArenaProblem("p", (Block("a", 1), Block("b", 1, pool="q"))), "several pools"),
        (ArenaProblem("p", (Block("a", 1, group="g"),)), "groups"),
        (ArenaProblem("p", (Block("a", 1, forbidden=((0, 1),)),)), "forbidden"),
        (ArenaProblem("p", (Block("a", 1),), (PoolLimits(POOL, None, ((0, 1),)),)), "forbidden"),
    ],
)
def test_what_the_columns_cannot_say_is_not_written(problem: ArenaProblem, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        write_csv(problem)


def test_a_plan_fills_the_offsets() -> None:
    problem = read("id,lower,upper,size\na,0,2,8\nb,1,3,4\n")
    plan = Arena((Pool(POOL, 12, ((0, 4), (1, 0))),))
    assert write_csv(problem, plan) == "id,lower,upper,size,offset\na,0,2,8,4\nb,1,3,4,0\n"


def test_the_windowed_example_that_minimalloc_does_not_solve() -> None:
    """In 6 bytes: 0 and 2 lie in the bytes of 1 that are free at moment 1, and above."""
    problem = read("id,lower,upper,size,gaps\n0,1,2,2,\n1,0,6,3,1-2@2:3\n2,1,6,3,\n")
    verdict = plan_arena(problem)
    assert isinstance(verdict, OptimalArena)
    assert verdict.plan.cost_bytes == 6


@needs_shared
def test_the_published_instances_are_read() -> None:
    sizes: list[int] = []
    for path in sorted(SHARED.glob("minimalloc/*.csv")):
        problem = read_csv(path.read_text(), str(path), name=path.stem)
        sizes.append(len(problem.blocks))
        assert read_csv(write_csv(problem), "again", name=path.stem) == problem
    assert sizes == [154, 170, 203, 213, 215, 296, 308, 316, 374, 409, 454]
