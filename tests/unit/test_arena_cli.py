"""Arena problems and plans on the command line: exit statuses, formats in and out, errors in one line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import EXAMPLES, needs_sat, smtalloc

TWO = "id,lower,upper,size\na,0,2,64\nb,1,3,32\nc,2,4,64\n"
EXAMPLE = EXAMPLES / "gqa_preamble.mlir"


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.csv"
    path.write_text(TWO)
    return path


def test_a_csv_is_planned_and_its_plan_is_accepted(two: Path, tmp_path: Path) -> None:
    ran = smtalloc("plan", two, "--json")
    assert ran.status == 0, ran.err
    (answer,) = ran.json["functions"]
    assert answer["name"] == "two"
    assert (answer["verdict"], answer["cost_bytes"], answer["lower_bound_bytes"]) == ("optimal", 96, 96)
    assert {name: place["memory"] for name, place in answer["assignment"].items()} == dict.fromkeys("abc", "pool")
    written = tmp_path / "plan.json"
    written.write_text(ran.out)
    assert smtalloc("check", written, two).out == "two: accepted: 96 bytes, a minimum, by its certificate\n"


@pytest.mark.parametrize(("name", "least"), [("D", 986_112), ("J", 989_184)])
def test_the_plans_that_are_shipped(name: str, least: int, tmp_path: Path) -> None:
    """Accepted as they are; refused with any of some blocks a byte lower, or with a claim that is one byte off."""
    problem, plan = (EXAMPLES / "minimalloc" / f"{name}{end}" for end in (".csv", ".plan.json"))
    text = f"{name}: accepted: {least:,} bytes, a minimum, by its certificate\n"
    assert smtalloc("check", plan, problem).out == text
    written = tmp_path / "forged.json"
    for block in ("1", "40", "120"):
        document = json.loads(plan.read_text())
        document["functions"][0]["assignment"][block]["offset"] -= 1
        written.write_text(json.dumps(document))
        assert smtalloc("check", written, problem).status == 1, block
    for claim in ("cost_bytes", "lower_bound_bytes"):
        document = json.loads(plan.read_text())
        document["functions"][0][claim] += 1
        written.write_text(json.dumps(document))
        assert smtalloc("check", written, problem).status == 1, claim


def test_csv_out_is_csv_in(two: Path, tmp_path: Path) -> None:
    ran = smtalloc("plan", two, "--emit", "csv")
    assert ran.out.startswith("id,lower,upper,size,offset\na,0,2,64,")
    again = tmp_path / "again.csv"
    again.write_text(ran.out)
    assert smtalloc("plan", again, "--emit", "csv").out == ran.out, "pinned where it was"


def test_too_small_a_capacity_has_a_core(two: Path, tmp_path: Path) -> None:
    ran = smtalloc("plan", two, "--capacity", "95")
    assert ran.status == 1
    assert "INFEASIBLE" in ran.out
    assert "pool has 95 bytes; these 2 buffers alone need 96: a b" in ran.out
    written = tmp_path / "plan.json"
    written.write_text(smtalloc("plan", two, "--capacity", "95", "--json").out)
    found = smtalloc("check", written, two)
    assert (found.status, found.out) == (0, "two: accepted: no plan, pool pool needs 96 bytes and has 95\n")
    assert smtalloc("plan", two, "--capacity", "96").status == 0
    written.write_text(forged(json.loads(written.read_text()), capacity_bytes=94))
    found = smtalloc("check", written, two)
    assert (found.status, "capacity_bytes is said to be 94, but it is 95" in found.out) == (1, True)


def test_the_name_is_that_of_the_problem(two: Path, tmp_path: Path) -> None:
    """A plan cannot write lines of the answer."""
    written = tmp_path / "plan.json"
    document = json.loads(smtalloc("plan", two, "--json").out)
    for changes in ({"cost_bytes": 95}, {"capacities": {"x)\ntwo: accepted: 95 bytes (y": 99}}):
        written.write_text(forged(document, name="x\ntwo: accepted: 95 bytes", **changes))
        out = smtalloc("check", written, two).out
        assert (out.startswith("two: "), out.count("\n")) == (True, 1)


def test_capacities_that_only_the_plan_speaks_of_are_told(two: Path, tmp_path: Path) -> None:
    written = tmp_path / "plan.json"
    written.write_text(smtalloc("plan", two, "--capacity", "96", "--json").out)
    assert smtalloc("check", written, two).out == (
        "two: accepted: 96 bytes, a minimum, by its certificate (capacities as the plan gives them: 'pool' 96)\n"
    )


def forged(document: Any, **changes: object) -> str:
    document["functions"][0] |= changes
    return json.dumps(document)


def test_forged_plans_are_refused(two: Path, tmp_path: Path) -> None:
    plan = smtalloc("plan", two, "--json").json
    (answer,) = plan["functions"]
    written = tmp_path / "plan.json"
    for changes in (
        {"cost_bytes": 95},
        {"lower_bound_bytes": 95},
        {"assignment": {**answer["assignment"], "b": {"memory": "pool", "offset": 1}}},
        {"assignment": {k: v for k, v in answer["assignment"].items() if k != "b"}},
        {"pools": [{"memory": "pool", "size_bytes": 95}]},
        {"certificate": {"bounds": []}},
    ):
        written.write_text(forged(json.loads(json.dumps(plan)), **changes))
        ran = smtalloc("check", written, two)
        assert (ran.status, "REJECTED" in ran.out) == (1, True), changes


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"version": 2, "buffers": []}, "version must be 1"),
        ({"version": 1}, "has no 'buffers'"),
        ({"version": 1, "buffers": [{"name": "a"}]}, "buffers[0] has no 'size_bytes'"),
        ({"version": 1, "buffers": [{"name": "a", "size_bytes": -1}]}, "buffers[0].size_bytes must be"),
        ({"version": 1, "buffers": [{"name": "a", "size_bytes": 1, "color": 2}]}, "buffers[0].color is not known"),
        ({"version": 1, "buffers": [{"name": "a", "size_bytes": 1}] * 2}, "its name occurs twice"),
        *(
            ({"version": 1, "buffers": [{"name": n, "size_bytes": 1} for n in "aab"], pairs: [["a", "b"]]}, "twice")
            for pairs in ("conflicts", "before")
        ),
        (
            {"version": 1, "pools": [{"name": "p", "forbidden": [[0, 4]]}, {"name": "p"}], "buffers": []},
            "its limits are given twice",
        ),
        ({"version": 1, "buffers": [], "before": [["a", "b"]]}, 'names "a"'),
        ({"version": 1, "buffers": [], "before": [], "conflicts": []}, "cannot stand beside"),
        (
            {"version": 1, "buffers": [{"name": n, "size_bytes": 1} for n in "ab"], "before": [["a", "b"], ["b", "a"]]},
            "is no order",
        ),
        (
            {"version": 1, "buffers": [{"name": "a", "size_bytes": 1, "life": [0, 1]}], "conflicts": []},
            "has a life, but the conflicts are given",
        ),
        (
            {
                "version": 1,
                "buffers": [
                    {"name": "a", "size_bytes": 1, "group": "g", "offset": 0},
                    {"name": "b", "size_bytes": 1, "group": "g", "offset": 1},
                ],
            },
            "allow no common offset",
        ),
    ],
)
def test_bad_json_is_one_line(document: object, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(document))
    ran = smtalloc("plan", path)
    assert ran.status == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_a_json_problem_with_all_that_it_can_say(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    document = {
        "version": 1,
        "name": "all",
        "pools": [{"name": "fast", "capacity_bytes": 64, "forbidden": [[0, 16]]}],
        "buffers": [
            {"name": "a", "size_bytes": 16, "pool": "fast", "alignment": 16},
            {"name": "b", "size_bytes": 16, "pool": "fast", "offset": 48},
            {"name": "c", "size_bytes": 8, "pool": "fast", "group": "g"},
            {"name": "d", "size_bytes": 16, "pool": "fast", "group": "g", "forbidden": [[16, 20]]},
            {"name": "e", "size_bytes": 100},
        ],
        "before": [["a", "d"]],
    }
    path.write_text(json.dumps(document))
    ran = smtalloc("plan", path, "--json")
    assert ran.status == 0, ran.err
    (answer,) = ran.json["functions"]
    offset = {name: place["offset"] for name, place in answer["assignment"].items()}
    assert offset["c"] == offset["d"] >= 20
    assert offset["a"] in (16, 32)
    assert offset["b"] == 48
    assert answer["cost_bytes"] == 64 + 100
    written = tmp_path / "plan.json"
    written.write_text(ran.out)
    assert smtalloc("check", written, path).status == 0
    exported = tmp_path / "again.json"
    exported.write_text(smtalloc("export", path, "--to", "json").out)
    assert smtalloc("plan", exported, "--json").json["functions"][0]["cost_bytes"] == 164


@pytest.mark.parametrize("encoding", ["offsets", "order", "bits", "levels"])
def test_encodings_agree_on_the_minimum(two: Path, encoding: str) -> None:
    ran = smtalloc("plan", two, "--encoding", encoding, "--json")
    assert (ran.status, ran.json["functions"][0]["cost_bytes"]) == (0, 96), ran.err


@pytest.mark.parametrize("encoding", ["class", "pairwise", "leader", "bits"])
def test_slot_encodings_agree_on_the_minimum(encoding: str) -> None:
    ran = smtalloc("plan", EXAMPLE, "--encoding", encoding, "--json")
    assert (ran.status, ran.json["functions"][0]["cost_bytes"]) == (0, 24), ran.err


def test_a_function_is_planned_checked_and_exported(tmp_path: Path) -> None:
    ran = smtalloc("plan", EXAMPLE, "--model", "arena", "--json")
    assert ran.status == 0
    (answer,) = ran.json["functions"]
    assert (answer["model"], answer["verdict"], answer["safety"]) == ("arena", "optimal", {"verdict": "safe"})
    written = tmp_path / "plan.json"
    written.write_text(ran.out)
    assert smtalloc("check", written, EXAMPLE).status == 0
    document = ran.json
    document["functions"][0]["assignment"]["%length"]["offset"] = 0
    document["functions"][0]["pools"][0]["size_bytes"] = document["functions"][0]["cost_bytes"] = 72
    written.write_text(json.dumps(document))
    refused = smtalloc("check", written, EXAMPLE)
    assert refused.status == 1
    assert "nothing orders one before the other" in refused.out


def test_buffers_of_run_time_size_share_slots(tmp_path: Path) -> None:
    path = tmp_path / "dynamic.mlir"
    path.write_text(
        """func.func @f(%ctx: !hip.context, %a: memref<?xf32>, %n: index) {
  %s = memref.alloc(%n) : memref<?xf32>
  hip.neg(%ctx) ins(%a : memref<?xf32>) outs(%s : memref<?xf32>)
  hip.neg(%ctx) ins(%s : memref<?xf32>) outs(%a : memref<?xf32>)
  %t = memref.alloc(%n) : memref<?xf32>
  hip.neg(%ctx) ins(%a : memref<?xf32>) outs(%t : memref<?xf32>)
  return
}
"""
    )
    ran = smtalloc("plan", path, "--model", "arena", "--json")
    assert ran.status == 0, ran.err
    (answer,) = ran.json["functions"]
    assert (answer["cost_bytes"], answer["dynamic_slots"], answer["dynamic_slots_lower_bound"]) == (0, 1, 1)
    written = tmp_path / "plan.json"
    written.write_text(ran.out)
    assert smtalloc("check", written, path).status == 0
    document = ran.json
    del document["functions"][0]["run_time_slots"]
    written.write_text(json.dumps(document))
    assert "have no plan" in smtalloc("check", written, path).out
    rewritten = smtalloc("plan", path, "--model", "arena", "--emit", "mlir").out
    assert smtalloc("verify", path, "-", stdin=rewritten).status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("plan", "TWO", "--model", "slots"), "--model slots is for MLIR"),
        (("plan", "TWO", EXAMPLE), "say --model arena"),
        (("plan", EXAMPLE, "--capacity", "5"), "go with --model arena"),
        (("plan", "TWO", "--capacity", "x"), "not a number of bytes"),
        (("plan", "TWO", "--capacity", "q=5"), "no pool 'q'"),
        (("plan", "TWO", "--encoding", "class"), "this model has offsets, order, bits, levels"),
        (("plan", EXAMPLE, "--encoding", "levels"), "this model has class, pairwise, leader, bits"),
        (("plan", "TWO", "--emit", "mlir"), "takes one MLIR file"),
        (("plan", "nowhere.csv"), "nowhere.csv: cannot be read"),
        (("export", "TWO", "--to", "csv", "--encoding", "bits"), "--encoding goes with --to smt2"),
    ],
)
def test_options_that_do_not_go_together(two: Path, arguments: tuple[object, ...], message: str) -> None:
    ran = smtalloc(*(two if argument == "TWO" else argument for argument in arguments))
    assert ran.status == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("encoding", ["offsets", "order", "bits", "levels"])
def test_export_asks_whether_it_fits(two: Path, encoding: str) -> None:
    from smtalloc.solvers.base import Status
    from smtalloc.solvers.z3 import Z3

    for capacity, status in ((96, Status.SAT), (95, Status.UNSAT)):
        ran = smtalloc("export", two, "--to", "smt2", "--encoding", encoding, "--capacity", capacity)
        assert Z3().solve(ran.out).status is status


def test_export_of_conflicts(two: Path) -> None:
    assert smtalloc("export", two, "--to", "csv").out == TWO
    dot = smtalloc("export", two, "--to", "dot").out
    assert dot.count(" -- ") == 2
    assert json.loads(smtalloc("export", two, "--to", "json").out)["buffers"][0]["life"] == [0, 2]


@needs_sat
def test_a_refutation_goes_through_files(tmp_path: Path) -> None:
    from arena_cases import HARD

    from smtalloc.minimalloc import write_csv

    path, written = tmp_path / "hard.csv", tmp_path / "plan.json"
    path.write_text(write_csv(HARD))
    ran = smtalloc("plan", path, "--json")
    assert (ran.status, ran.json["functions"][0]["cost_bytes"]) == (0, 7)
    written.write_text(ran.out)
    assert "a minimum, by its certificate" in smtalloc("check", written, path).out
    document = ran.json
    del document["functions"][0]["certificate"]["bounds"][0]["evidence"]["drup"][5:]
    written.write_text(json.dumps(document))
    assert smtalloc("check", written, path).status == 1


@needs_sat
def test_a_refutation_of_byte_sizes_goes_through_files(tmp_path: Path) -> None:
    from arena_cases import HARD

    from smtalloc.minimalloc import write_csv

    blocks = tuple(replace(b, size_bytes=1009 * b.size_bytes + n) for n, b in enumerate(HARD.blocks))
    path, written = tmp_path / "bytes.csv", tmp_path / "plan.json"
    path.write_text(write_csv(replace(HARD, blocks=blocks)))
    told = smtalloc("plan", path).out
    assert "OPTIMAL" in told
    assert "order of the buffers" in told
    ran = smtalloc("plan", path, "--json")
    written.write_text(ran.out)
    assert "a minimum, by its certificate" in smtalloc("check", written, path).out
    document = ran.json
    evidence = document["functions"][0]["certificate"]["bounds"][0]["evidence"]
    assert evidence["kind"] == "chains"
    evidence["chains"][0] = evidence["chains"][0].split(",")[0].split()[0]
    written.write_text(json.dumps(document))
    refused = smtalloc("check", written, path)
    assert refused.status == 1
    assert "chain 1" in refused.out
