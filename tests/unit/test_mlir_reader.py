"""The reader's interface: splits, wrapping, names, locations, files, printing."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.test import TestOp as MadeOp
from xdsl.ir import Block, Operation, Region

from smtalloc.mlir.foreign import ForeignOp
from smtalloc.mlir.reader import location_of, print_module, print_modules, read_file, read_modules, value_name
from smtalloc.program import InputError, Location

FUNCTION = """func.func @f(%ctx: !hip.context, %a: memref<4xf32>, %b: memref<4xf32>) {
  hip.add(%ctx) ins(%a, %a : memref<4xf32>, memref<4xf32>) outs(%b : memref<4xf32>)
  return
}
"""


def read(text: str) -> ModuleOp:
    (module,) = read_modules(text, "in.mlir")
    return module


def find(module: ModuleOp, name: str) -> Operation:
    return next(op for op in module.walk() if op.name == name)


def names(module: ModuleOp) -> list[str]:
    return [value_name(result) for op in module.walk() for result in op.results]


def test_import_is_light() -> None:
    code = "import sys, smtalloc.mlir; sys.exit('xdsl' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("text", ["", "\n", "// a comment\n"])
def test_nothing_is_one_empty_module(text: str) -> None:
    assert len(list(read(text).ops)) == 0


def test_bare_functions_get_a_module_and_a_module_gets_none() -> None:
    assert [op.name for op in read(FUNCTION).ops] == ["func.func"]
    assert [op.name for op in read(f"module {{\n{FUNCTION}}}").ops] == ["func.func"]
    assert [op.name for op in read("module {}\nmodule {}").ops] == ["builtin.module"] * 2


def test_splits() -> None:
    text = f"{FUNCTION}// -----\n{FUNCTION}// -----  \n// ----- not a split\n// -----// nor this //----- //\n"
    modules = read_modules(text, "in.mlir")
    assert [len(list(module.ops)) for module in modules] == [1, 1, 0]
    second = find(modules[1], "hip.add")
    assert location_of(second) == Location("in.mlir", 7, 3)
    assert print_modules(modules).count("// -----\n") == 2


def test_locations_in_errors_count_from_the_start_of_the_file() -> None:
    with pytest.raises(InputError) as caught:
        read_modules(f"{FUNCTION}// -----\n{FUNCTION}// -----\nfunc.func @g() {{\n  what\n}}\n", "in.mlir")
    assert caught.value.location == Location("in.mlir", 12, 3)
    assert str(caught.value) == "in.mlir:12:3: operation 'what' is not known"


def test_locations() -> None:
    module = read(FUNCTION)
    assert location_of(find(module, "func.func")) == Location("in.mlir", 1, 1)
    assert location_of(find(module, "hip.add")) == Location("in.mlir", 2, 3)
    assert location_of(find(module, "func.return")) == Location("in.mlir", 3, 3)
    assert location_of(module) == Location("in.mlir", 1, 1)


def test_an_op_with_results_stands_where_its_first_result_does() -> None:
    module = read('func.func @f() {\n    %x, %y = "t.two"() : () -> (i32, i32)\n return }')
    assert location_of(find(module, "t.two")) == Location("in.mlir", 2, 5)


def test_clones_keep_locations_and_new_ops_have_their_files() -> None:
    module = read(FUNCTION)
    assert location_of(find(module.clone(), "hip.add")) == Location("in.mlir", 2, 3)
    new = MadeOp()
    assert location_of(new) == Location("")
    find(module, "func.return").parent.insert_op_before(new, find(module, "func.return"))
    assert location_of(new) == Location("in.mlir")
    assert str(location_of(new)) == "in.mlir"


def test_names_are_those_of_the_input() -> None:
    module = read("""
func.func @f(%arg0: index, %n: index) {
  %0 = arith.addi %arg0, %n : index
  %c0_17 = arith.constant 0 : index
  %1:2 = "t.two"() : () -> (index, index)
  %a, %b = "t.two"() : () -> (index, index)
  %x:2, %y = "t.three"(%1#1) : (index) -> (index, index, index)
  return
}""")
    assert names(module) == ["%0", "%c0_17", "%1#0", "%1#1", "%a", "%b", "%x#0", "%x#1", "%y"]
    assert [value_name(arg) for arg in find(module, "func.func").regions[0].block.args] == ["%arg0", "%n"]
    text = print_module(module)
    assert "%1:2 = " in text
    assert "%a, %b = " in text
    assert '%x:2, %y = "t.three"(%1#1)' in text
    assert names(read(text)) == names(module)


def test_names_are_unique_in_a_function_and_the_outer_value_keeps_its_own() -> None:
    module = read("""
func.func @f(%c: i1) {
  scf.if %c {
    %5 = arith.constant 1 : i32
    %a = arith.constant 2 : i32
  } else {
    %5 = arith.constant 3 : i32
    %a = arith.constant 4 : i32
  }
  %5 = arith.constant 5 : i32
  return
}
func.func @g() {
  %5 = arith.constant 6 : i32
  return
}""")
    found = {str(op.properties["value"]): value_name(op.results[0]) for op in module.walk() if op.results}
    assert found["5 : i32"] == found["6 : i32"] == "%5"
    in_f = [name for value, name in found.items() if value != "6 : i32"]
    assert len(set(in_f)) == 5
    assert {found["2 : i32"], found["4 : i32"]} == {"%a", "%a_0"}
    read(print_module(module))


def test_new_values_get_new_names() -> None:
    module = read("func.func @f() {\n  %0 = arith.constant 1 : i32\n  return\n}")
    constant = find(module, "arith.constant")
    assert value_name(constant.results[0]) == "%0"
    new = MadeOp(result_types=[constant.results[0].type, constant.results[0].type])
    new.results[1].name_hint = "made"
    constant.parent.insert_op_after(new, constant)
    assert [value_name(result) for result in new.results] == ["%1", "%made"]
    assert '%1, %made = "test.op"()' in print_module(module)


def test_a_detached_value_has_a_name() -> None:
    assert value_name(MadeOp(result_types=[i32]).results[0]) == "%"
    assert value_name(Region(Block(arg_types=[i32])).block.args[0]) == "%"


def test_printing_does_not_depend_on_the_form_that_was_read() -> None:
    module = read(FUNCTION)
    generic = print_module(module, generic=True)
    assert '"hip.add"(%ctx, %a, %a, %b) {smtalloc.syntax = "(1:0 ins(2:2 outs(1:1"} : ' in generic
    assert "smtalloc" not in print_module(module)
    again = read(generic)
    assert print_module(again) == print_module(module)
    assert "smtalloc.syntax" not in find(again, "hip.add").attributes
    assert print_module(module).startswith("module {\n  func.func @f(")
    assert print_module(module).endswith("}\n")


def test_ops_of_two_reads_have_equal_types() -> None:
    first, second = (find(read(FUNCTION), "hip.add") for _ in range(2))
    assert first.operands[0].type == second.operands[0].type
    assert type(first) is type(second)
    assert isinstance(first, ForeignOp)


def test_read_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "in.mlir"
    path.write_text(FUNCTION)
    (module,) = read_file(str(path))
    assert location_of(find(module, "hip.add")).file == str(path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FUNCTION.encode())))
    (module,) = read_file("-")
    assert location_of(find(module, "hip.add")) == Location("<stdin>", 2, 3)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"module {\n  \xe9 }", bytes(range(256)), b"\x7fELF\x02\x01\x00"])
def test_what_is_no_text(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "in.mlir"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_file(str(path))
    assert caught.value.location is not None
    assert caught.value.location.line >= 1


@pytest.mark.parametrize("name", ["", "missing.mlir", "a\0b"])
def test_files_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_file(str(tmp_path / name))


def test_metadata_and_aliases_survive() -> None:
    text = """
!t = memref<4xf32>
#map = affine_map<(d0) -> (d0)>
#one = 1 : i64
#loc = loc("x.py":1:2)
module @m attributes {k = #one} {
  memref.global constant @g : !t = dense_resource<blob> {alignment = 64 : i64}
  func.func @f(%a: !t loc("a.py":3:4)) {
    "t.op"(%a) {m = #map} : (!t) -> () loc(#loc7)
    return loc(fused["x", callsite("y" at "z":1:1)])
  } loc(#loc)
}
#loc7 = loc("late.py":7:8)
{-#
  dialect_resources: { builtin: { blob: "0x08000000000000000000000000000000000000000000" } }
#-}
"""
    module = read(text)
    printed = print_module(module)
    assert "module @m attributes {k = 1 : i64} {" in printed
    assert "m = #map" in printed
    assert "dense_resource<blob>" in printed
    assert "0x0800000000" in printed
    assert print_module(read(printed)) == printed


def test_reading_is_linear() -> None:
    """Twice the text, twice the time, within what a busy machine adds: names, scopes and lines are dictionaries."""

    def seconds(count: int) -> float:
        ops = "".join(f"  %v{i} = memref.alloc() : memref<4xf32>\n  scf.if %c {{\n  }}\n" for i in range(count))
        text = f"func.func @f(%c: i1) {{\n{ops}  return\n}}\n"
        start = time.process_time()
        print_module(read(text))
        return time.process_time() - start

    seconds(100)
    assert seconds(4000) < 10 * seconds(1000)
