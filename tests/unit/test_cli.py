"""The command line: exit statuses, one-line errors, JSON, files left alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support import EXAMPLES, Ran, smtalloc

PREAMBLE = EXAMPLES / "gqa_preamble.mlir"
GREEDY = EXAMPLES / "gqa_preamble.greedy.mlir"

SAFE = """func.func @f(%ctx: !hip.context, %a: memref<64xf32>) {
  %s = memref.alloc() : memref<64xf32>
  hip.add(%ctx) ins(%a, %a : memref<64xf32>, memref<64xf32>) outs(%s : memref<64xf32>)
  hip.add(%ctx) ins(%s, %s : memref<64xf32>, memref<64xf32>) outs(%a : memref<64xf32>)
  %t = memref.alloc() : memref<32xi64>
  hip.cast(%ctx) ins(%a : memref<64xf32>) outs(%t : memref<32xi64>)
  return
}
"""


def one_line_error(ran: Ran, *parts: str) -> None:
    assert ran.status == 2, ran
    assert ran.out == ""
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err
    for part in parts:
        assert part in ran.err


def test_verify_shows_the_schedule() -> None:
    ran = smtalloc("verify", PREAMBLE, GREEDY)
    assert ran.status == 1
    assert "UNSAFE (racy)" in ran.out
    assert "reads %sum = 4,096 instead of 1,537" in ran.out
    assert "%seqlens = 1,536" in ran.out
    assert "%seqlens = 4,095" in ran.out
    assert "%total_length = 1,537" in ran.out


def test_verify_json() -> None:
    (function,) = smtalloc("verify", PREAMBLE, GREEDY, "--json").json["functions"]
    assert function["verdict"] == "unsafe"
    assert function["defect"] == "racy"
    assert [s["engine"] for s in function["schedule"]] == ["stream", "host", "stream"]
    assert function["assignment"] == {
        "%sum": {"memory": "%sum", "offset": 0},
        "%last": {"memory": "%last", "offset": 0},
        "%length": {"memory": "%sum", "offset": 0},
    }


def test_verify_by_z3_finds_the_same() -> None:
    by_graph = smtalloc("verify", PREAMBLE, GREEDY, "--json").json["functions"][0]
    by_z3 = smtalloc("verify", PREAMBLE, GREEDY, "--json", "--z3").json["functions"][0]
    key = ("verdict", "defect", "reason", "expected", "actual")
    assert [by_z3[k] for k in key] == [by_graph[k] for k in key]


def test_values_of_the_user_come_first() -> None:
    ran = smtalloc("verify", PREAMBLE, GREEDY, "--value", "%rows=100", "--value", "%mask=2")
    assert "%seqlens = 15" in ran.out
    assert "%seqlens = 99" in ran.out


def test_plan_of_the_preamble_is_proven() -> None:
    ran = smtalloc("plan", PREAMBLE)
    assert ran.status == 0
    assert "OPTIMAL, 24 bytes in 3 slots" in ran.out


def test_plan_by_program_order_is_never_called_safe(tmp_path: Path) -> None:
    ran = smtalloc("plan", PREAMBLE, "--policy", "program-order")
    assert ran.status == 1
    assert "UNSAFE under happens-before" in ran.out
    (function,) = smtalloc("plan", PREAMBLE, "--policy", "program-order", "--json").json["functions"]
    assert function["safety"]["verdict"] == "unsafe"
    target = tmp_path / "plan.mlir"
    ran = smtalloc("plan", PREAMBLE, "--policy", "program-order", "--emit", "mlir", "-o", target)
    one_line_error(ran, "not safe")
    assert not target.exists()


def test_check_takes_what_plan_wrote_and_refuses_less(tmp_path: Path) -> None:
    written = tmp_path / "plan.json"
    assert smtalloc("plan", PREAMBLE, "--json", "-o", written).status == 0
    accepted = smtalloc("check", written, PREAMBLE)
    assert accepted.status == 0
    assert "accepted" in accepted.out
    data = json.loads(written.read_text())
    data["functions"][0]["cost_bytes"] -= 1
    written.write_text(json.dumps(data))
    refused = smtalloc("check", written, PREAMBLE)
    assert refused.status == 1
    assert "REJECTED (cost)" in refused.out


def test_check_of_a_racy_plan(tmp_path: Path) -> None:
    written = tmp_path / "plan.json"
    smtalloc("plan", PREAMBLE, "--json", "--policy", "program-order", "-o", written)
    refused = smtalloc("check", written, PREAMBLE, "--json")
    assert refused.status == 1
    assert refused.json["functions"][0]["kind"] == "unsafe"


def test_plan_from_standard_input_and_back(tmp_path: Path) -> None:
    before = tmp_path / "before.mlir"
    before.write_text(SAFE)
    written = smtalloc("plan", "-", "--emit", "mlir", stdin=SAFE)
    assert written.status == 0
    assert "memref.view" in written.out, "the slot holds two element types"
    ran = smtalloc("verify", before, "-", stdin=written.out)
    assert ran.status == 0, ran.out
    assert "SAFE for every schedule" in ran.out


def test_verify_says_when_less_would_do(tmp_path: Path) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(SAFE)
    ran = smtalloc("verify", path, path)
    assert ran.status == 0
    assert "suboptimal: 256 are enough" in ran.out


def test_functions_that_do_not_correspond_are_unknown(tmp_path: Path) -> None:
    before, after = tmp_path / "b.mlir", tmp_path / "a.mlir"
    before.write_text(SAFE)
    after.write_text(SAFE.replace("hip.cast", "hip.neg"))
    ran = smtalloc("verify", before, after)
    assert ran.status == 3
    assert f"{after}:6:3: hip.neg where {before}:6:3 has hip.cast" in ran.out


def test_greedy_and_its_fixed_variant() -> None:
    racy = smtalloc("greedy", PREAMBLE, "--json").json["functions"][0]["assignment"]
    assert racy["%length"]["memory"] == "%sum"
    fixed = smtalloc("greedy", PREAMBLE, "--json", "--host-accessed", "exclude").json["functions"][0]["assignment"]
    assert fixed["%length"]["memory"] == "%length"
    text = smtalloc("greedy", PREAMBLE, "--emit", "mlir").out
    assert text == GREEDY.read_text()


def test_explain() -> None:
    ran = smtalloc("explain", PREAMBLE, "%sum", "length")
    assert ran.status == 1
    assert "program-order    yes" in ran.out
    assert "host-exclusive   no" in ran.out
    assert "may run in either order" in ran.out


def test_compare() -> None:
    (row,) = smtalloc("compare", PREAMBLE, "--json").json["functions"]
    assert (row["greedy"]["bytes"], row["greedy_fixed"]["bytes"], row["optimal"]["bytes"]) == (16, 24, 24)
    assert row["greedy"]["safety"] == "UNSAFE: racy"
    assert row["greedy_fixed"]["safety"] == "safe"
    table = smtalloc("compare", PREAMBLE)
    assert table.status == 0
    assert "UNSAFE: racy" in table.out


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["plan", "no/such.mlir"], ["no/such.mlir"]),
        (["plan", PREAMBLE, "--profile", "nope"], ["unknown profile 'nope'"]),
        (["plan", PREAMBLE, GREEDY, "--emit", "mlir"], ["--emit mlir takes one file"]),
        (["verify", PREAMBLE, GREEDY, "--value", "rows=3"], ["--value rows=3"]),
        (["verify", PREAMBLE, GREEDY, "--value", "%rows=x"], ["'x' is not a number"]),
        (["verify", PREAMBLE, GREEDY, "--value", "%row=1"], ["--value %row"]),
        (["verify", "-", "-"], ["standard input"]),
        (["explain", PREAMBLE, "%sum", "%nope"], ["no buffer %nope"]),
        (["explain", PREAMBLE, "%sum", "%sum"], ["two buffers"]),
        (["check", PREAMBLE, PREAMBLE], ["gqa_preamble.mlir"]),
        (["plan", PREAMBLE, "-o", "no/such/dir/x"], ["no/such/dir/x", "cannot write"]),
    ],
    ids=lambda value: " ".join(str(v) for v in value[:2]) if isinstance(value, list) else "",
)
def test_bad_input_is_one_line(arguments: list[object], parts: list[str]) -> None:
    one_line_error(smtalloc(*arguments), *parts)


@pytest.mark.parametrize(
    "text",
    ["func.func @f( {", "\x00", "module { func.func @f() { %x = } }", "%", "func.func @f() { return %x : i32 }"],
)
def test_malformed_modules_are_one_line_with_a_place(text: str) -> None:
    one_line_error(smtalloc("plan", "-", stdin=text), "<stdin>:1:" if text != "\x00" else "<stdin>")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("precious")
    bad = tmp_path / "bad.mlir"
    bad.write_text("func.func @f( {")
    assert smtalloc("plan", bad, "--json", "-o", target).status == 2
    assert target.read_text() == "precious"


@pytest.mark.parametrize(
    "command", ["plan", "verify", "greedy", "compare", "check", "explain", "races", "export", "prove"]
)
def test_every_command_has_help(command: str) -> None:
    ran = smtalloc(command, "--help")
    assert ran.status == 0
    assert "Usage:" in ran.out


SIZES = """
func.func @f(%ctx: !hip.context, %a: memref<?xf32>, %n: index) {
  %s = memref.alloc(%n) : memref<?xf32>
  hip.add(%ctx) ins(%a, %a : memref<?xf32>, memref<?xf32>) outs(%s : memref<?xf32>)
  hip.add(%ctx) ins(%s, %s : memref<?xf32>, memref<?xf32>) outs(%a : memref<?xf32>)
  %t = memref.alloc(%n) : memref<?xi64>
  hip.cast(%ctx) ins(%a : memref<?xf32>) outs(%t : memref<?xi64>)
  hip.cast(%ctx) ins(%t : memref<?xi64>) outs(%a : memref<?xf32>)
  return
}
"""


def test_plans_at_given_dimensions(tmp_path: Path) -> None:
    module, written = tmp_path / "m.mlir", tmp_path / "plan.json"
    module.write_text(SIZES)
    shown = smtalloc("plan", module, "--bind", "n=10", "--assume", "%n in 1..4096")
    assert (shown.status, "OPTIMAL, 80 bytes in 1 slot" in shown.out, "taken to be" in shown.out) == (0, True, False)
    counted = smtalloc("plan", module, "--json").json["functions"][0]
    assert (counted["cost_bytes"], counted["dynamic_slots"], counted["binding"]) == (0, 1, {})
    worst = smtalloc("plan", module, "--json", "--assume", "n in 1..4096").json["functions"][0]
    assert (worst["cost_bytes"], worst["binding"]) == (8 * 4096, {"%n": 4096})
    assert worst["sizes"] == {"%s": "4*%n", "%t": "8*%n"}
    assert smtalloc("plan", module, "--bind", "n=10", "--assume", "n in 1..4096", "--json", "-o", written).status == 0
    accepted = smtalloc("check", written, module)
    assert (accepted.status, "assumed %n in 1..4096" in accepted.out) == (0, True)
    written.write_text(written.read_text().replace('"%n": 10', '"%n": 11'))
    assert smtalloc("check", written, module).status == 1
    assert smtalloc("explain", module, "s", "t", "--types", "bytes").out.count("%t (8*%n bytes) is never smaller") == 1


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--bind", "k=1"], "no size depends on a dimension of that name (they are n)"),
        (["--bind", "n"], "not of the form NAME=NUMBER"),
        (["--bind", "n=1", "--bind", "%n=2"], "given twice"),
        (["--bind", "n=-1"], "is not in 0..2147483647"),
        (["--assume", "n in 4..1"], "no number is in 4..1"),
        (["--assume", "n <= 4"], "not of the form 'NAME in LEAST..MOST'"),
        (["--assume", "n in -4..-1"], "never negative"),
        (["--assume", "a[0] in 1..2"], "no size depends on a dimension of that name"),
    ],
)
def test_bad_dimensions_are_one_line(tmp_path: Path, options: list[str], part: str) -> None:
    module = tmp_path / "m.mlir"
    module.write_text(SIZES)
    one_line_error(smtalloc("plan", module, *options), part)


def test_usage_errors_have_status_2() -> None:
    assert smtalloc("plan").status == 2
    assert smtalloc("nope").status == 2
    assert smtalloc("plan", PREAMBLE, "--policy", "lucky").status == 2


def test_help_loads_nothing_heavy() -> None:
    """`--help` must be instant: no solver, no MLIR reader, no rich."""
    code = (
        "import sys; from smtalloc.cli import cli; cli(['--help'], standalone_mode=False); "
        "print([m for m in ('z3', 'xdsl', 'highspy', 'rich', 'numpy') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_trace_and_repairs(tmp_path: Path) -> None:
    target = tmp_path / "trace.json"
    ran = smtalloc("verify", PREAMBLE, GREEDY, "--trace", target)
    assert ran.status == 1
    assert "mend: give %sum memory of its own: at most 8 bytes more" in ran.out
    assert f"mend: wait for stream before memref.store at {PREAMBLE}:18:3" in ran.out
    events = json.loads(target.read_text())["traceEvents"]
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    order = [threads[e["pid"], e["tid"]] for e in events if e["ph"] == "X" and e["pid"] == 0]
    assert order == ["stream", "host", "stream"]
    times = [e["ts"] for e in events if e["ph"] == "X" and e["pid"] == 0]
    assert times == sorted(set(times))
