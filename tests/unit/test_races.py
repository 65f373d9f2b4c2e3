"""`races`: one module alone."""

from __future__ import annotations

import pytest
from support import SHARED, needs_shared, smtalloc

HEAD = "func.func @f(%ctx: !hip.context, %a: memref<64xf32>, %b: memref<64xf32>, %n: i64, %c: memref<i64>) {\n"
BOX = "  %s = memref.alloc() : memref<i64>\n"
WRITE = "  memref.store %n, %s[] : memref<i64>\n"
REFILL = "  %seven = arith.constant 7 : i64\n  memref.store %seven, %s[] : memref<i64>\n"
READ = "  %v = memref.load %s[] : memref<i64>\n  memref.store %v, %c[] : memref<i64>\n"
DEVICE_WRITE = "  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%s : memref<i64>)\n"
DEVICE_READ = "  hip.neg(%ctx) ins(%s : memref<i64>) outs(%b : memref<64xf32>)\n"
WAIT = "  %w = hip.readback_scalar(%ctx, %s : memref<i64>) -> i64\n"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (BOX + WRITE + DEVICE_READ, 0),  # a store is visible to ops launched after it
        (BOX + DEVICE_WRITE + READ, 1),  # the host reads before the device has written (hip-ep #357, #371)
        (BOX + DEVICE_WRITE + WAIT + READ, 0),
        (BOX + WRITE + DEVICE_READ + REFILL + DEVICE_READ, 1),  # one box refilled while it is read (llama.cpp #8897)
        (BOX + WRITE + DEVICE_READ + WAIT + REFILL + DEVICE_READ, 0),
        (BOX + DEVICE_WRITE + DEVICE_READ, 0),
    ],
)
def test_host_and_device_on_one_buffer(body: str, status: int) -> None:
    ran = smtalloc("races", "-", "--profile", "hip", stdin=HEAD + body + "  return\n}\n")
    assert ran.status == status, ran.out + ran.err
    if status:
        assert "does not wait for" in ran.out


def test_views_of_a_pool() -> None:
    body = """  %size = arith.constant 512 : index
  %p = hip.get_pool(%ctx, %size) : memref<?xi8>
  %o1 = arith.constant 0 : index
  %o2 = arith.constant {} : index
  %s = memref.view %p[%o1][] : memref<?xi8> to memref<64xf32>
  %t = memref.view %p[%o2][] : memref<?xi8> to memref<64xf32>
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%s : memref<64xf32>)
  hip.neg(%ctx) ins(%a : memref<64xf32>) outs(%t : memref<64xf32>)
  hip.add(%ctx) ins(%s, %t : memref<64xf32>, memref<64xf32>) outs(%b : memref<64xf32>)
"""
    for offset, status in ((256, 0), (128, 1), (300, 1)):
        ran = smtalloc("races", "-", stdin=HEAD + body.format(offset) + "  return\n}\n")
        assert ran.status == status, (offset, ran.out)
    assert "too-small" in ran.out


def test_what_happens_inside_a_loop_is_not_known() -> None:
    body = """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = memref.alloc() : memref<i64>
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %n, %s[] : memref<i64>
    hip.neg(%ctx) ins(%s : memref<i64>) outs(%b : memref<64xf32>)
  }
"""
    assert smtalloc("races", "-", stdin=HEAD + body + "  return\n}\n").status == 3


@needs_shared
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gqa_preamble", ["SAFE"]),
        ("gqa_preamble.optimize", ["UNSAFE"]),
        ("gqa_preamble.full", ["UNSAFE"]),
        ("gqa_preamble.reordered", ["SAFE"]),
        ("float_scalar_in_pool.pool", ["UNSAFE"]),
        ("host_scalars_in_sequence_and_loop.full", ["UNSAFE", "UNSAFE"]),
    ],
)
def test_probes(name: str, words: list[str]) -> None:
    ran = smtalloc("races", SHARED / "golden" / "probes" / f"{name}.mlir")
    assert [line.split()[1].rstrip(":") for line in ran.out.splitlines() if line.startswith("@")] == words
