"""Which engine an op runs on, and the events it records and awaits: by profile keys, in gpu and in async."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import smtalloc

from smtalloc.commands.races import judge_alone
from smtalloc.commands.verify import judge_pair
from smtalloc.mlir.profile import guess, load_profile
from smtalloc.mlir.session import alone, load_text, pairs
from smtalloc.order import Order
from smtalloc.plan import Safe, Unknown, Unsafe
from smtalloc.program import HOST, InputError, Program

STREAMS = str(Path(__file__).parent.parent / "litmus" / "profiles" / "streams.toml")
ARGS = "%q: !dev.stream, %r: !dev.stream, %e: !dev.event, %g: !dev.event, %x: memref<8xf32>, %y: memref<8xf32>, %c: i1"
MAP = "(!dev.stream, memref<8xf32>, memref<8xf32>) -> ()"
PAIR = "(!dev.stream, !dev.event) -> ()"


def program(body: str, profile: str = STREAMS, arguments: str = ARGS) -> Program:
    text = f"func.func @f({arguments}) {{\n{body}\n  return\n}}\n"
    return load_text(text, "t.mlir", profile).programs[0]


def engines(found: Program) -> list[str]:
    return [action.engine for action in found.actions]


def races(body: str, profile: str | None = STREAMS, arguments: str = ARGS) -> str:
    """The verdict on the module alone."""
    text = f"func.func @f({arguments}) {{\n{body}\n  return\n}}\n"
    source = load_text(text, "t.mlir", profile)
    return type(judge_alone(alone(source)[0], {})).__name__


# --- queues --------------------------------------------------------------------------------------------------


def test_a_queue_for_each_value() -> None:
    found = program(f"""
  %again = builtin.unrealized_conversion_cast %q : !dev.stream to !dev.stream
  %zero = arith.constant 0 : i32
  "dev.map"(%r, %x, %y) : {MAP}
  "dev.map"(%q, %x, %y) : {MAP}
  "dev.map"(%again, %x, %y) : {MAP}
  "dev.map"(%zero, %x, %y) : (i32, memref<8xf32>, memref<8xf32>) -> ()
  "dev.named_map"(%x, %y) {{stream = "side"}} : (memref<8xf32>, memref<8xf32>) -> ()""")
    assert engines(found) == ["stream#1", "stream#2", "stream#2", "stream:0", "stream:side"]
    assert found.queues == ("stream#1", "stream#2", "stream:0", "stream:side")


def test_a_wait_for_one_queue_and_for_all() -> None:
    found = program(f"""
  "dev.map"(%q, %x, %y) : {MAP}
  "dev.sync"(%q) : (!dev.stream) -> ()
  "dev.sync_all"() : () -> ()
  "dev.map"(%r, %x, %y) : {MAP}""")
    assert found.actions[1].waits == ("stream#1",)
    assert set(found.actions[2].waits) == {"stream", "stream#1", "stream#2"}


def test_an_op_without_the_attribute_is_on_a_queue_that_is_not_known() -> None:
    found = program("""
  "dev.named_map"(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  "dev.named_map"(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()""")
    assert engines(found) == ["stream?1", "stream?2"]
    assert not Order(found).hb(0, 1)
    assert "is not known" in found.assumptions[0]


LOOP = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {{
    {inside}
  }}"""


def test_a_queue_made_in_a_loop_may_be_another_one_each_time() -> None:
    inside = '%s = "dev.create"() : () -> !dev.stream\n' + f'"dev.map"(%s, %x, %y) : {MAP}'
    found = program(LOOP.format(inside=inside))
    assert engines(found) == ["stream?1", "stream?2"], "one op, whose runs may overlap"
    assert found.hidden_waits
    assert races(LOOP.format(inside=inside)) != "Safe"


def test_a_queue_from_outside_is_the_same_in_a_loop() -> None:
    inside = f'"dev.map"(%q, %x, %y) : {MAP}'
    assert engines(program(LOOP.format(inside=inside))) == ["stream#1"]
    assert races(LOOP.format(inside=inside)) == "Safe"


def test_two_values_that_may_be_one_queue_make_no_certain_race() -> None:
    body = f"""
  %s = "get.stream"() : () -> !dev.stream
  %t = "get.stream"() : () -> !dev.stream
  "dev.map"(%s, %x, %y) : {MAP}
  "dev.map"({{}}, %x, %y) : {MAP}"""
    assert races(body.format("%s")) == "Safe"
    assert races(body.format("%t")) == "Unknown"
    assert races(body.replace("get.stream", "dev.create").format("%t")) == "Unsafe"


# --- events --------------------------------------------------------------------------------------------------

HANDED_OVER = f"""
  "dev.map"(%q, %x, %y) : {MAP}
  "dev.record"(%q, %e) : {PAIR}
  {{between}}
  "dev.stream_wait"(%r, %e) : {PAIR}
  "dev.map"(%r, %y, %x) : {MAP}"""


@pytest.mark.parametrize(
    ("between", "verdict"),
    [
        ("", "Safe"),
        (f'"dev.record"(%r, %g) : {PAIR}', "Safe"),
        (f'"dev.record"(%r, %e) : {PAIR}', "Unsafe"),
        ('"what.ever"() : () -> ()', "Unknown"),
        (f'scf.if %c {{\n"dev.record"(%r, %e) : {PAIR}\n}}', "Unsafe"),  # by the run that takes the branch
        (f'scf.if %c {{\n"dev.record"(%r, %g) : {PAIR}\n}}', "Safe"),
        ('scf.if %c {\n"what.ever"() : () -> ()\n}', "Unknown"),
        (f'%h = "get.event"() : () -> !dev.event\n"dev.record"(%r, %h) : {PAIR}', "Unknown"),
        (f'%h = "dev.create"() : () -> !dev.event\n"dev.record"(%r, %h) : {PAIR}', "Safe"),
        ("func.call @g() : () -> ()", "Unknown"),
    ],
)
def test_what_an_event_stands_for_when_it_is_awaited(between: str, verdict: str) -> None:
    body = HANDED_OVER.format(between=between)
    text = f"func.func private @g()\nfunc.func @f({ARGS}) {{\n{body}\n  return\n}}\n"
    source = load_text(text, "t.mlir", STREAMS)
    found = judge_alone(alone(source)[-1], {})
    assert type(found).__name__ == verdict


def test_an_event_awaited_in_a_region_orders_nothing_outside() -> None:
    body = HANDED_OVER.format(between="").replace(
        f'"dev.stream_wait"(%r, %e) : {PAIR}', f'scf.if %c {{\n"dev.stream_wait"(%r, %e) : {PAIR}\n}}'
    )
    assert races(body) in ("Unknown", "Unsafe")


# --- gpu -----------------------------------------------------------------------------------------------------

GPU_ARGS = "%x: memref<8xf32>, %y: memref<8xf32>, %tok: !gpu.async.token"
COPY = "gpu.memcpy async {} %x, %y : memref<8xf32>, memref<8xf32>"


def gpu(*lines: str) -> Program:
    return program("\n".join(lines), "gpu", GPU_ARGS)


def test_a_chain_of_tokens_is_one_queue() -> None:
    lines = [f"%t0 = {COPY.format('')}", *(f"%t{i} = {COPY.format(f'[%t{i - 1}]')}" for i in range(1, 6))]
    assert engines(gpu(*lines)) == ["gpu#1"] * 6


def test_a_fork_is_two_queues_and_a_join_awaits_the_other() -> None:
    found = gpu(
        "%s = gpu.wait async",
        f"%a = {COPY.format('[%s]')}",
        f"%b = {COPY.format('[%s]')}",
        "%j = gpu.wait async [%a, %b]",
        f"%d = {COPY.format('[%j]')}",
    )
    assert engines(found) == [HOST, "gpu#1", "gpu#2", "gpu#1", "gpu#1"]
    assert found.actions[3].awaits == ("%b",)
    order = Order(found)
    assert order.hb(1, 4)
    assert order.hb(2, 4)
    assert not order.hb(1, 2)


def test_a_queue_is_used_again_when_the_host_has_waited_for_it() -> None:
    found = gpu(
        f"%a = {COPY.format('')}",
        f"%b = {COPY.format('')}",
        "gpu.wait [%b]",
        f"%d = {COPY.format('')}",
        f"%e = {COPY.format('')}",
    )
    assert engines(found) == ["gpu#1", "gpu#2", HOST, "gpu#2", "gpu#3"]


def test_a_token_from_outside_orders_nothing_and_that_is_said() -> None:
    found = gpu(f"%a = {COPY.format('[%tok]')}")
    assert found.actions[0].awaits == ()
    assert found.hidden_waits
    assert "%tok stands for" in found.assumptions[0]


def test_without_async_the_host_waits() -> None:
    assert engines(gpu("gpu.memcpy %x, %y : memref<8xf32>, memref<8xf32>")) == [HOST]


KERNEL = """
module attributes {{gpu.container_module}} {{
  gpu.module @m {{
    gpu.func @k(%a: memref<8xf32>, %b: memref<8xf32>) kernel {{
      %i = gpu.thread_id x
      {body}
      gpu.return
    }}
    gpu.func @other(%b: memref<8xf32>) {{
      gpu.return
    }}
  }}
  func.func @f(%x: memref<8xf32>, %y: memref<8xf32>) {{
    %c1 = arith.constant 1 : index
    gpu.launch_func {name} blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%x : memref<8xf32>, %y : memref<8xf32>)
    return
  }}
}}
"""
LOAD, STORE = "%v = memref.load %a[%i] : memref<8xf32>", "memref.store %v, %b[%i] : memref<8xf32>"
VIEW = "%s = memref.cast %a : memref<8xf32> to memref<?xf32>\n%v = memref.load %s[%i] : memref<?xf32>"
CARRIED = f"{LOAD}\nscf.for %j = %i to %i step %i {{\n{STORE}\n}}"
LOOSE = "%p = memref.extract_aligned_pointer_as_index %a : memref<8xf32> -> index"


@pytest.mark.parametrize(
    ("body", "name", "reads", "writes"),
    [
        (f"{LOAD}\n{STORE}", "@m::@k", {"%x": False, "%y": False}, {"%y": False}),
        (f"{VIEW}\n{STORE}", "@m::@k", {"%x": False, "%y": False}, {"%y": False}),
        (LOAD, "@m::@k", {"%x": False}, {}),
        (CARRIED, "@m::@k", {"%x": False, "%y": False}, {"%y": False}),
        ("", "@m::@k", {}, {}),
        (LOOSE, "@m::@k", {"%x": True}, {"%x": True}),
        ("", "@m::@none", {"%x": True, "%y": True}, {"%x": True, "%y": True}),
    ],
)
def test_what_a_kernel_does_to_its_arguments(
    body: str, name: str, reads: dict[str, bool], writes: dict[str, bool]
) -> None:
    text = KERNEL.format(body=body, name=name)
    found = load_text(text, "t.mlir", "gpu").programs[0]
    names = [buffer.name for buffer in found.buffers]
    actions = [a for a in found.actions if a.accesses]
    assert {names[a.buffer]: a.may for action in actions for a in action.reads} == reads
    assert {names[a.buffer]: a.may for action in actions for a in action.writes} == writes


def test_a_launch_that_uses_a_global_by_itself() -> None:
    text = """
memref.global "private" @g : memref<8xf32> = uninitialized
func.func @f() {
  %c1 = arith.constant 1 : index
  %t = gpu.launch async blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1)
      threads(%i, %j, %k) in (%l = %c1, %m = %c1, %n = %c1) {
    %g = memref.get_global @g : memref<8xf32>
    %v = memref.load %g[%i] : memref<8xf32>
    gpu.terminator
  }
  %g = memref.get_global @g : memref<8xf32>
  %z = arith.constant 0.0 : f32
  memref.store %z, %g[%c1] : memref<8xf32>
  gpu.wait [%t]
  return
}
"""
    program = load_text(text, "t.mlir", None).programs[0]
    launch = program.actions[0]
    assert (launch.op, launch.engine, bool(launch.accesses)) == ("gpu.launch", "gpu#1", True)
    assert isinstance(judge_alone(alone(load_text(text, "t.mlir", None))[0], {}), Unsafe)


@pytest.mark.parametrize(
    ("other", "same"), [(STORE, True), (STORE.replace("%b[", "%a["), False), (f"{STORE}\ngpu.barrier", False)]
)
def test_a_pass_must_leave_kernels_alone(other: str, same: bool) -> None:
    texts = [KERNEL.format(body=f"{LOAD}\n{store}", name="@m::@k") for store in (STORE, other)]
    texts[1] = texts[1].replace("%v", "%val").replace("%i", "%tid")
    before, after = (load_text(text, "t.mlir", "gpu") for text in texts)
    verdict = judge_pair(pairs(before, after)[0], {}, minimum=False).verdict
    assert isinstance(verdict, Safe) == same
    assert same or (isinstance(verdict, Unknown) and "another kernel" in verdict.reason)


def test_functions_of_kernels_are_not_judged() -> None:
    text = KERNEL.format(body=f"{LOAD}\n{STORE}", name="@m::@k").replace(
        "    gpu.func @other", "    func.func @device(%a: memref<8xf32>) {\n return\n }\n    gpu.func @other"
    )
    assert [found.name for found in load_text(text, "t.mlir", None).programs] == ["f"]


# --- async ---------------------------------------------------------------------------------------------------


def test_a_task_is_an_engine_and_its_ops_are_steps() -> None:
    found = program(
        """
  %t, %v = async.execute -> !async.value<memref<8xf32>> {
    memref.copy %x, %y : memref<8xf32> to memref<8xf32>
    memref.copy %y, %x : memref<8xf32> to memref<8xf32>
    async.yield %y : memref<8xf32>
  }
  %u = async.execute [%t] (%v as %w: !async.value<memref<8xf32>>) {
    memref.copy %w, %x : memref<8xf32> to memref<8xf32>
    async.yield
  }
  %m = async.await %v : !async.value<memref<8xf32>>
  memref.copy %x, %m : memref<8xf32> to memref<8xf32>""",
        "async",
        "%x: memref<8xf32>, %y: memref<8xf32>",
    )
    assert engines(found) == ["async#1"] * 5 + [HOST, HOST]
    order, copies = Order(found), [i for i, a in enumerate(found.actions) if a.op == "memref.copy"]
    assert len(copies) == 4
    assert order.hb(copies[0], copies[1])
    assert order.hb(copies[1], copies[2])
    assert order.hb(copies[1], copies[3]), "the value is there when the task is over"
    assert not order.hb(copies[2], copies[3]), "nobody awaits the second task"
    assert found.actions[copies[3]].writes[0].buffer == 1, "the awaited value is %y"


def test_a_task_with_a_loop_in_it_is_taken_conservatively() -> None:
    body = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = async.execute {
    scf.for %i = %c0 to %c1 step %c1 {
      memref.copy %x, %y : memref<8xf32> to memref<8xf32>
    }
    async.yield
  }
  async.await %t : !async.token
  memref.copy %y, %x : memref<8xf32> to memref<8xf32>"""
    assert races(body, "async", "%x: memref<8xf32>, %y: memref<8xf32>") == "Unknown"


# --- profiles ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dialects", "name"),
    [
        ({"hip", "gpu", "linalg"}, "hip"),
        ({"gpu", "async", "memref"}, "gpu"),
        ({"async", "linalg"}, "async"),
        ({"linalg"}, "linalg-device"),
        ({"memref"}, "hip"),
    ],
)
def test_guess(dialects: set[str], name: str) -> None:
    assert guess(frozenset(dialects)) == name


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ('engine = "q"\nqueue_from = true', "queue_from must be"),
        ('engine = "host"\nqueue_from = 0', "queue_from names one queue"),
        ('engine = "q"\nqueue_from = "tokens"', "needs awaits"),
        ('engine = "none"\nrecords = [0]', "records and awaits need an engine"),
        ('engine = "any"\nawaits = [0]', "records and awaits need an engine"),
        ('engine = "q"\nrecords = 0', "records must be a list"),
        ('engine = "q"\nawaits = [true]', "awaits must be a list"),
        ('engine = "host"\nadds = [0]', "adds must be two operand numbers"),
        ('engine = "host"\nasync_engine = "r"', "async_engine must be one of the queues"),
        ('engine = "host"\nkernel = 3', "kernel must be a name"),
        ('engine = "host"\nsteps = 1', "steps must be true or false"),
        ('engine = "host"\nresult_of = -1', "result_of must be a number"),
    ],
)
def test_mistakes_are_named_on_one_line(tmp_path: Path, rule: str, message: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(f'queues = ["q"]\n[ops."x.y"]\n{rule}\n')
    with pytest.raises(InputError, match=message) as caught:
        load_profile(str(path))
    assert "\n" not in str(caught.value)


def test_matched_functions_have_the_same_engines() -> None:
    """SSA names differ behind mlir-opt; queues are told by the order in which they occur."""
    before = f"func.func @f({ARGS}) {{\n{HANDED_OVER.format(between='')}\n  return\n}}\n"
    after = before.replace("%q", "%arg0").replace("%r", "%arg1").replace("%e", "%arg2")
    one, other = load_text(before, "b.mlir", STREAMS), load_text(after, "a.mlir", STREAMS)
    found = pairs(one, other)[0]
    assert type(judge_pair(found, {}, minimum=False).verdict).__name__ == "Safe"
    assert engines(one.programs[0]) == engines(other.programs[0])


@pytest.mark.parametrize(("late", "slots"), [(True, 1), (False, 2)])
def test_plan_by_happens_before_shares_behind_an_event(tmp_path: Path, late: bool, slots: int) -> None:
    """Planned, checked by the independent checker, put to z3, written back, and verified."""
    name = f"B16-shared-behind-an-event{'-ok' if late else ''}.before.mlir"
    path = Path(__file__).parent.parent / "litmus" / "Inputs" / name
    planned = smtalloc("plan", "--policy", "happens-before", "--profile", STREAMS, "--json", path)
    assert planned.json["functions"][0]["verdict"] == "optimal"
    assert planned.json["functions"][0]["cost_bytes"] == 32 * slots
    written = smtalloc("plan", "--policy", "happens-before", "--profile", STREAMS, "--emit", "mlir", path)
    after = tmp_path / "after.mlir"
    after.write_text(written.out)
    assert smtalloc("verify", "--profile", STREAMS, path, after).status == 0
    assert smtalloc("verify", "--z3", "--profile", STREAMS, path, after).status == 0
