"""Sizes that depend on dimensions, in what else plans and verifies: control flow, arenas, tasks that are no orders."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from support import verdict_of

from smtalloc.allocate import SolveOptions, plan_slots
from smtalloc.bounds import clique_levels
from smtalloc.check import Accepted, check_verdict
from smtalloc.cli import cli
from smtalloc.dimensions import with_facts
from smtalloc.encode import guarantee_query
from smtalloc.order import conflicts
from smtalloc.plan import Optimal, Policy, Safe, SafetyVerdict, Slots, TypeRule, Unknown
from smtalloc.program import Access, Action, Buffer, Dimension, InputError, Program
from smtalloc.solvers.base import Status
from smtalloc.solvers.z3 import Z3
from smtalloc.symbolic import symbol
from smtalloc.task import tasks

BODY = """
  scf.for %i = %c0 to %c8 step %c1 {
    linalg.copy ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
    linalg.copy ins(%x : memref<?xf32>) outs(%b : memref<?xf32>)
    linalg.copy ins(%a : memref<?xf32>) outs(%o : memref<?xf32>)
    linalg.copy ins(%b : memref<?xf32>) outs(%o : memref<?xf32>)
  }
  return
}
"""
HEAD = """func.func @f(%n: index, %x: memref<?xf32>, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
"""
OWN = """
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
"""


def in_a_pool(factor: int) -> str:
    """%a at the start, %b at `factor * %n` bytes, of 8 * %n."""
    return f"""
  %k = arith.constant {factor} : index
  %at = arith.muli %n, %k : index
  %size = arith.muli %n, %c8 : index
  %pool = memref.alloc(%size) {{alignment = 64 : i64}} : memref<?xi8>
  %a = memref.view %pool[%c0][%n] : memref<?xi8> to memref<?xf32>
  %b = memref.view %pool[%at][%n] : memref<?xi8> to memref<?xf32>
"""


def verdict(before: str, after: str) -> SafetyVerdict:
    return verdict_of(before, after, "linalg-device")


def test_places_at_run_time_offsets_are_apart_on_all_paths() -> None:
    assert isinstance(verdict(HEAD + OWN + BODY, HEAD + in_a_pool(4) + BODY), Safe)


@pytest.mark.parametrize(
    ("factor", "reason"),
    [(0, "may write over it"), (3, "multiple of its alignment"), (8, "cannot be shown that it fits")],
)
def test_and_where_they_are_not_so_for_all_values_it_is_not_safe(factor: int, reason: str) -> None:
    found = verdict(HEAD + OWN + BODY, HEAD + in_a_pool(factor) + BODY)
    assert isinstance(found, Unknown)
    assert reason in found.reason


def test_an_offset_computed_in_the_loop_is_not_one_offset() -> None:
    view = "%a = memref.view %pool[%c0][%n] : memref<?xi8> to memref<?xf32>"
    other = "%b = memref.view %pool[%at][%n] : memref<?xi8> to memref<?xf32>"
    product = "%at = arith.muli %n, %k : index"
    lines = in_a_pool(4).replace(other, "").replace(product, "")
    moving = BODY.replace("{\n", f"{{\n    %at = arith.muli %i, %k : index\n    {other}\n", 1)
    own = OWN.replace("%b = memref.alloc(%n) : memref<?xf32>", "")
    inside = BODY.replace("{\n", "{\n    %b = memref.alloc(%n) : memref<?xf32>\n", 1)
    assert view in lines
    assert isinstance(verdict(HEAD + own + inside, HEAD + lines + moving), Unknown)


PAIRS = """func.func @f(%n: index, %x: memref<?xf32>, %o: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc() : memref<64xf32>
  linalg.copy ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  linalg.copy ins(%a : memref<?xf32>) outs(%o : memref<?xf32>)
  linalg.copy ins(%x : memref<?xf32>) outs(%s : memref<64xf32>)
  linalg.copy ins(%s : memref<64xf32>) outs(%o : memref<?xf32>)
  %t = memref.alloc() : memref<32xf32>
  linalg.copy ins(%x : memref<?xf32>) outs(%t : memref<32xf32>)
  linalg.copy ins(%t : memref<32xf32>) outs(%o : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.copy ins(%x : memref<?xf32>) outs(%b : memref<?xf32>)
  linalg.copy ins(%b : memref<?xf32>) outs(%o : memref<?xf32>)
  return
}
"""


def test_in_an_arena_equal_sizes_share_a_slot_of_the_pool(tmp_path: Path) -> None:
    before, after, plan = (str(tmp_path / name) for name in ("b.mlir", "a.mlir", "plan.json"))
    Path(before).write_text(PAIRS)
    arena = ["plan", before, "--model", "arena", "--policy", "happens-before"]
    assert CliRunner().invoke(cli, [*arena, "--emit", "mlir", "-o", after]).exit_code == 0
    text = Path(after).read_text()
    assert text.count("memref.alloc") == 1
    told = CliRunner().invoke(cli, ["verify", before, after])
    assert (told.exit_code, "SAFE" in told.output) == (0, True), told.output
    assert CliRunner().invoke(cli, [*arena, "--emit", "json", "-o", plan]).exit_code == 0
    assert CliRunner().invoke(cli, ["check", plan, before]).exit_code == 0


def test_dimensions_are_no_matter_of_arenas(tmp_path: Path) -> None:
    path = tmp_path / "b.mlir"
    path.write_text(PAIRS)
    with pytest.raises(InputError, match="--model slots"):
        CliRunner().invoke(cli, ["plan", str(path), "--model", "arena", "--bind", "n=3"], catch_exceptions=False)


def one_after_the_other(count: int, sizes: int) -> Program:
    """Buffers, each written and read by one op, in turn of the sizes n, n + m, m: n and m cannot be compared."""
    n, m = symbol("%n"), symbol("%m")
    forms = [n, n + m, m][:sizes]
    buffers = tuple(Buffer(f"%{b}", None, size_key="k", size=forms[b % len(forms)]) for b in range(count))
    actions = tuple(Action(b, "q", "op", (), (Access(b),)) for b in range(count))
    dimensions = (Dimension("%n", 0, 100), Dimension("%m", 0, 100))
    return with_facts(Program("f", buffers, actions, dimensions=dimensions), Z3())


def test_what_is_no_order_is_planned_pair_by_pair() -> None:
    """All run one after the other; n + m may be with n or with m, which must not be together."""
    program = one_after_the_other(9, 3)
    problem = conflicts(program, Policy.HAPPENS_BEFORE)
    (task,) = tasks(problem)
    assert not task.is_order
    assert clique_levels(task).bound(task) == 2
    found = plan_slots(problem, SolveOptions(time_limit_s=5))
    assert isinstance(found, Optimal)
    assert len(found.plan.members) == 2
    checked = check_verdict(program, found, policy=Policy.HAPPENS_BEFORE, types=TypeRule.BYTES)
    assert isinstance(checked, Accepted)


@pytest.mark.parametrize(("sizes", "status"), [(1, Status.UNSAT), (2, Status.UNSAT), (3, Status.SAT)])
def test_the_guarantee_looks_at_all_pairs_of_a_large_slot(sizes: int, status: Status) -> None:
    program = one_after_the_other(12, sizes)
    problem = conflicts(program, Policy.HAPPENS_BEFORE)
    assert Z3().solve(guarantee_query(problem, Slots((tuple(range(12)),)))).status is status
