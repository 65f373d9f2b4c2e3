"""The gpu and async dialects: custom and generic form, as mlir-opt prints them, there and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import GENERIC, needs_mlir_opt, through_mlir_opt

from smtalloc.mlir.reader import print_module, read_modules
from smtalloc.program import InputError

FILES = sorted((Path(__file__).parent / "dialects").glob("*.mlir"))


@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_reading_what_was_printed_prints_the_same(path: Path, generic: bool) -> None:
    (module,) = read_modules(path.read_text(), "in.mlir")
    text = print_module(module, generic=generic)
    (again,) = read_modules(text, "out.mlir")
    assert print_module(again, generic=generic) == text


@needs_mlir_opt
@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
@pytest.mark.parametrize("form", [(), (GENERIC,)], ids=["from-custom", "from-generic"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_mlir_opt_reads_back_the_same_module(path: Path, form: tuple[str, ...], generic: bool) -> None:
    original = path.read_text()
    (module,) = read_modules(through_mlir_opt(original, *form), "in.mlir")
    assert through_mlir_opt(print_module(module, generic=generic)) == through_mlir_opt(original)


def test_host_side_ops_are_printed_in_custom_form() -> None:
    (module,) = read_modules(next(path for path in FILES if path.stem == "gpu").read_text(), "in.mlir")
    text = print_module(module)
    assert "gpu.memcpy async [%t1] %d, %x : memref<8xf32>, memref<8xf32>" in text
    assert "gpu.alloc host_shared () : memref<8xf32>" in text
    assert "@m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %sm args(" in text
    assert '"gpu.wait"' not in text


@pytest.mark.parametrize(
    "op",
    [
        "gpu.wait async [%x]",
        "gpu.memcpy async %x, %x : memref<8xf32>",
        "gpu.memcpy async [%x %x : memref<8xf32>",
        "%t = gpu.alloc async : memref<8xf32>",
        "gpu.launch_func async blocks in (%i, %i, %i) threads in (%i, %i, %i)",
        "gpu.launch_func @m::@k blocks in (%i) threads",
        "gpu.launch blocks(%a, %b) in (%c) threads",
        "gpu.shuffle xor %i, %i : f32",
        "async.await %x",
        "async.execute (%x as %y : memref<8xf32>) { async.yield }",
        "gpu.module { }",
    ],
)
def test_mistakes_are_one_line_with_a_place(op: str) -> None:
    text = f"func.func @f(%x: memref<8xf32>, %i: index) {{\n  {op}\n  return\n}}\n"
    with pytest.raises(InputError) as caught:
        read_modules(text, "bad.mlir")
    assert str(caught.value).startswith("bad.mlir:")
    assert "\n" not in str(caught.value)
