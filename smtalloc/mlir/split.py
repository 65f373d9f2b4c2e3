"""One module alone: the views of its pools as buffers of their own, and where the module has put them."""

from __future__ import annotations

from smtalloc.mlir.compare import RETAKEN, device_only
from smtalloc.mlir.model import FunctionModel
from smtalloc.mlir.placing import placing_alone
from smtalloc.mlir.reader import location_of
from smtalloc.mlir.sizes import Assumed
from smtalloc.placement import Correspondence, Free, Place


def split(apart: FunctionModel, plain: FunctionModel, assumed: Assumed | None = None) -> Correspondence:
    """BEFORE is the program that the pool was laid out for, read with `split_views`; AFTER is the module itself.
    `assumed` are bounds on dimensions."""
    profile = plain.profile
    places: dict[int, Place] = {}
    for index, root in enumerate(apart.roots):
        handed_out = root.op is not None and profile.rule(root.op.name).size_operand is not None
        if handed_out and not apart.program.accesses_of[index]:
            continue  # only its pieces are memory of the program
        refs = plain.refs.get(root.value, ()) if root.value is not None else ()
        if len(refs) == 1:
            places[index] = Place(refs[0].root, refs[0].base)
    dynamic = frozenset(i for i, buffer in enumerate(apart.program.buffers) if buffer.size_bytes is None)
    facts = placing_alone(apart, plain, places, assumed or {})
    names = [buffer.name for buffer in apart.program.buffers]
    return Correspondence(
        apart.program,
        plain.program,
        places,
        fits=dynamic | facts.fits,  # a size known only at run time is not in question here
        outgrown=facts.outgrown,
        aligned=facts.aligned,
        apart=facts.apart,
        offsets=facts.offsets,
        missing=facts.missing,
        assumptions=facts.assumptions,
        frees=tuple(
            Free(
                ref.root, dealloc.ordinal, dealloc.certain and len(dealloc.refs) == 1, location=location_of(dealloc.op)
            )
            for dealloc in plain.deallocs
            for ref in dealloc.refs
        ),
        device_only=device_only(plain),
        unclear=dict.fromkeys(plain.retaken, RETAKEN),
        late_uses=plain.late_uses,
        assignment=tuple((names[i], place) for i, place in places.items() if not apart.program.buffers[i].external),
    )


def pieces(apart: FunctionModel) -> frozenset[int]:
    """Buffers that are views of memory that stays the same, however often the view is made."""
    return frozenset(i for i, root in enumerate(apart.roots) if root.op is not None and root.op.name == "memref.view")
