"""Functions as programs: who touches which bytes on which engine, and what is not known."""

from __future__ import annotations

import pytest

from smtalloc.mlir.session import load_text
from smtalloc.program import HOST, Access, Action, Buffer, Program


def program(body: str, arguments: str = "%ctx: !hip.context, %a: memref<64xf32>", profile: str = "hip") -> Program:
    text = f"func.func @f({arguments}) {{\n{body}\n  return\n}}\n"
    return load_text(text, "t.mlir", profile).programs[0]


def buffer(found: Program, name: str) -> Buffer:
    return next(b for b in found.buffers if b.name == name)


def touched(found: Program, action: Action) -> dict[str, tuple[int, int | None, bool]]:
    """Buffer name -> bytes, and whether it is only a may."""
    return {found.buffers[a.buffer].name: (a.lo, a.hi, a.may) for a in action.accesses}


ALLOC = "  %s = memref.alloc() {alignment = 64 : i64} : memref<64xf32>\n"


def test_engines_of_the_hip_profile() -> None:
    found = program(
        ALLOC
        + """  %c0 = arith.constant 0 : index
  %v = memref.load %s[%c0] : memref<64xf32>
  hip.add(%ctx) ins(%a, %a : memref<64xf32>, memref<64xf32>) outs(%s : memref<64xf32>)
  memref.copy %s, %a : memref<64xf32> to memref<64xf32>
  %n = memref.alloc() : memref<i64>
  %r = hip.readback_scalar(%ctx, %n : memref<i64>) -> i64
  linalg.fill ins(%v : f32) outs(%s : memref<64xf32>)"""
    )
    assert [(a.op, a.engine, a.waits) for a in found.actions] == [
        ("memref.load", HOST, ()),
        ("hip.add", "stream", ()),
        ("memref.copy", "stream", ()),
        ("hip.readback_scalar", HOST, ("stream",)),
        ("linalg.fill", HOST, ()),
    ]
    assert found.queues == ("stream",)
    assert touched(found, found.actions[0]) == {"%s": (0, 4, False)}


def test_linalg_runs_on_the_device_in_the_other_profile() -> None:
    found = program(ALLOC + "  %z = arith.constant 0.0 : f32\n  linalg.fill ins(%z : f32) outs(%s : memref<64xf32>)",
                    profile="linalg-device")  # fmt: skip
    assert [(a.op, a.engine) for a in found.actions] == [("linalg.fill", "stream")]
    assert not found.actions[0].reads, "fill overwrites"


@pytest.mark.parametrize(
    ("view", "type_", "expected"),
    [
        ("memref.cast %s : memref<64xf32> to memref<?xf32>", "memref<?xf32>", (0, 256, False)),
        (
            "memref.subview %s[8] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: 8>>",
            "memref<4xf32, strided<[1], offset: 8>>",
            (32, 48, False),
        ),
        (
            "memref.subview %s[8] [4] [2] : memref<64xf32> to memref<4xf32, strided<[2], offset: 8>>",
            "memref<4xf32, strided<[2], offset: 8>>",
            (32, 60, False),
        ),
        (
            "memref.reinterpret_cast %s to offset: [0], sizes: [8, 2], strides: [2, 1]"
            " : memref<64xf32> to memref<8x2xf32>",
            "memref<8x2xf32>",
            (0, 64, False),
        ),
        (
            "memref.expand_shape %s [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>",
            "memref<8x8xf32>",
            (0, 256, False),
        ),
        (
            "memref.subview %s[%i] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: ?>>",
            "memref<4xf32, strided<[1], offset: ?>>",
            (0, 256, True),
        ),
    ],
    ids=["cast", "subview", "strided subview", "reinterpret_cast", "expand_shape", "run-time offset"],
)
def test_byte_range_of_a_view(view: str, type_: str, expected: tuple[int, int, bool]) -> None:
    found = program(
        ALLOC + f"  %v = {view}\n  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%v : {type_})",
        "%ctx: !hip.context, %a: memref<64xf32>, %i: index",
    )
    writes = [(a.lo, a.hi, a.may) for a in found.actions[0].writes]
    assert writes == [expected]


def test_a_strided_write_leaves_bytes_as_they_were() -> None:
    found = program(
        ALLOC
        + "  %v = memref.subview %s[0] [4] [2] : memref<64xf32> to memref<4xf32, strided<[2]>>\n"
        + "  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%v : memref<4xf32, strided<[2]>>)"
    )
    action = found.actions[0]
    assert {found.buffers[r.buffer].name for r in action.reads} == {"%a", "%s"}


def test_memref_view_at_a_constant_byte() -> None:
    found = program(
        """  %p = memref.alloc() : memref<512xi8>
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %at = arith.muli %c2, %c128 : index
  %v = memref.view %p[%at][] : memref<512xi8> to memref<64xf32>
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%v : memref<64xf32>)"""
    )
    assert touched(found, found.actions[0])["%p"] == (256, 512, False)


def test_select_may_be_either() -> None:
    found = program(
        ALLOC
        + """  %t = memref.alloc() : memref<64xf32>
  %m = arith.select %c, %s, %t : memref<64xf32>
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%m : memref<64xf32>)""",
        "%ctx: !hip.context, %a: memref<64xf32>, %c: i1",
    )
    assert touched(found, found.actions[0]) == {
        "%a": (0, 256, False),
        "%s": (0, 256, True),
        "%t": (0, 256, True),
    }


LOOP = """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
"""


def test_a_loop_is_one_item_per_engine() -> None:
    found = program(
        ALLOC
        + LOOP
        + """  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %a[%i] : memref<64xf32>
    hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%s : memref<64xf32>)
    %n = memref.alloc() : memref<i64>
    %r = hip.readback_scalar(%ctx, %n : memref<i64>) -> i64
  }
  memref.store %z, %s[%c0] : memref<64xf32>""",
        "%ctx: !hip.context, %a: memref<64xf32>, %z: f32",
    )
    loop = [a for a in found.actions if a.op == "scf.for"]
    assert [(a.engine, a.waits) for a in loop] == [(HOST, ()), ("stream", ())]
    assert len({a.ordinal for a in loop}) == 1
    assert all(access.may for action in loop for access in action.accesses)
    assert buffer(found, "%n").pinned == "allocated inside a region"


def test_loop_carried_aliases_rotate() -> None:
    """Five values passed on in a ring: after enough iterations each may be any of them."""
    names = [f"%b{i}" for i in range(5)]
    allocs = "".join(f"  {name} = memref.alloc() : memref<4xf32>\n" for name in names)
    carried = ", ".join(f"%i{k} = {name}" for k, name in enumerate(names))
    types = ", ".join(["memref<4xf32>"] * 5)
    rotated = ", ".join(f"%i{(k + 1) % 5}" for k in range(5))
    found = program(
        LOOP
        + allocs
        + f"""  %r:5 = scf.for %i = %c0 to %c4 step %c1 iter_args({carried}) -> ({types}) {{
    hip.neg(%ctx) ins(%i0 : memref<4xf32>) outs(%i1 : memref<4xf32>)
    scf.yield {rotated} : {types}
  }}
  hip.neg(%ctx) ins(%r#0 : memref<4xf32>) outs(%r#4 : memref<4xf32>)""",
        "%ctx: !hip.context",
    )
    for action in found.actions:
        assert {found.buffers[a.buffer].name for a in action.accesses} == set(names)


def test_unknown_op_touches_what_it_is_given_on_every_engine_and_keeps_it() -> None:
    found = program(ALLOC + '  "foo.bar"(%s) : (memref<64xf32>) -> ()')
    assert [(a.engine, touched(found, a)) for a in found.actions] == [
        (HOST, {"%s": (0, 256, True)}),
        ("stream", {"%s": (0, 256, True)}),
    ]
    assert "escapes through foo.bar" in buffer(found, "%s").pinned
    assert buffer(found, "%s").live_out
    assert any("foo.bar at t.mlir:3:3 is not in the profile" in text for text in found.assumptions)


def test_result_of_an_unknown_op_may_be_its_operand() -> None:
    found = program(
        ALLOC
        + '  %m = "foo.bar"(%s) : (memref<64xf32>) -> memref<64xf32>\n'
        + "  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%m : memref<64xf32>)"
    )
    last = found.actions[-1]
    assert {"%s", "%m"} <= {found.buffers[a.buffer].name for a in last.writes}
    assert all(a.may for a in last.writes)


def test_call_takes_its_operands_away() -> None:
    text = """func.func private @g(memref<64xf32>)
func.func @f(%a: memref<64xf32>) {
  %s = memref.alloc() : memref<64xf32>
  func.call @g(%s) : (memref<64xf32>) -> ()
  return
}
"""
    found = load_text(text, "t.mlir", "hip").programs[0]
    assert "escapes through func.call" in buffer(found, "%s").pinned
    assert {a.engine for a in found.actions} == {HOST, "stream"}


def test_returned_memory_lives_to_the_end() -> None:
    text = """func.func @f() -> memref<?xf32> {
  %s = memref.alloc() : memref<64xf32>
  %c = memref.cast %s : memref<64xf32> to memref<?xf32>
  return %c : memref<?xf32>
}
"""
    found = load_text(text, "t.mlir", "hip").programs[0]
    assert buffer(found, "%s").live_out
    assert buffer(found, "%s").movable


def test_globals_and_arguments_are_external_and_a_global_is_one_buffer() -> None:
    text = """memref.global "private" constant @w : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @f(%ctx: !hip.context, %a: memref<4xf32>) {
  %x = memref.get_global @w : memref<4xf32>
  %y = memref.get_global @w : memref<4xf32>
  hip.add(%ctx) ins(%x, %y : memref<4xf32>, memref<4xf32>) outs(%a : memref<4xf32>)
  return
}
"""
    found = load_text(text, "t.mlir", "hip").programs[0]
    assert [(b.name, b.external) for b in found.buffers] == [("%a", True), ("%x", True)]
    assert ("%x", (1.0, 2.0, 3.0, 4.0)) in found.inputs


@pytest.mark.parametrize(
    ("element", "count", "size"),
    [("i1", 9, 9), ("i4", 9, 5), ("i8", 3, 3), ("f16", 3, 6), ("bf16", 3, 6), ("index", 2, 16), ("i24", 2, 8),
     ("complex<f32>", 2, 16), ("vector<3xf32>", 2, 32), ("f8E4M3FN", 3, 3)],
)  # fmt: skip
def test_element_sizes(element: str, count: int, size: int) -> None:
    found = program(f"  %s = memref.alloc() : memref<{count}x{element}>", "%a: index")
    assert buffer(found, "%s").size_bytes == size


def test_dynamic_sizes_have_a_key_of_type_and_operands() -> None:
    found = program(
        """  %s = memref.alloc(%n) : memref<?x4xf32>
  %t = memref.alloc(%n) : memref<?x4xf32>
  %u = memref.alloc(%m) : memref<?x4xf32>
  %v = memref.alloc(%n) : memref<4x?xf32>""",
        "%n: index, %m: index",
    )
    keys = [buffer(found, name).size_key for name in ("%s", "%t", "%u", "%v")]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3
    assert buffer(found, "%s").size_bytes is None


def test_several_blocks_are_one_item() -> None:
    text = """func.func @f(%ctx: !hip.context, %c: i1) {
  %s = memref.alloc() : memref<4xf32>
  %t = memref.alloc() : memref<4xf32>
  cf.cond_br %c, ^bb1(%s : memref<4xf32>), ^bb1(%t : memref<4xf32>)
^bb1(%m: memref<4xf32>):
  hip.neg(%ctx) ins(%m : memref<4xf32>) outs(%m : memref<4xf32>)
  return
}
"""
    found = load_text(text, "t.mlir", "hip").programs[0]
    assert {a.ordinal for a in found.actions} == {0}
    assert {found.buffers[a.buffer].name for a in found.actions[0].accesses} == {"%s", "%t"}
    assert all(b.pinned for b in found.buffers)
    assert any("several blocks" in text for text in found.assumptions)


def test_store_of_a_memref_into_memory_escapes() -> None:
    found = program(
        ALLOC + "  %c0 = arith.constant 0 : index\n  memref.store %s, %box[%c0] : memref<1xmemref<64xf32>>",
        "%box: memref<1xmemref<64xf32>>",
    )
    assert "escapes" in buffer(found, "%s").pinned


def test_memory_used_in_the_body_of_a_linalg_op_is_not_missed() -> None:
    found = program(
        ALLOC
        + """  %c0 = arith.constant 0 : index
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%a : memref<64xf32>) {
  ^bb0(%out: f32):
    %v = memref.load %s[%c0] : memref<64xf32>
    linalg.yield %v : f32
  }""",
    )
    assert any(found.buffers[a.buffer].name == "%s" for action in found.actions for a in action.accesses)


def test_generic_hip_op_without_groups_may_write_all_its_operands() -> None:
    found = program(ALLOC + '  "hip.add"(%ctx, %a, %a, %s) : '
                    "(!hip.context, memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()")  # fmt: skip
    (action,) = found.actions
    assert action.engine == "stream"
    assert {found.buffers[w.buffer].name for w in action.writes} == {"%a", "%s"}
    assert all(a.may for a in action.accesses)


def test_access_ranges_stay_in_their_buffer() -> None:
    found = program(ALLOC + "  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%s : memref<64xf32>)")
    assert found.actions[0].writes[0] == Access(1, 0, 256, False, "64xf32")
