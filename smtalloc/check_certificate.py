"""Does a certificate prove the bound that it states? For the independent checker (check.py).

docs/certificates.md says what has to hold and why it bounds the cost of every plan; the names are those of that page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from smtalloc.check_rules import Rules
from smtalloc.check_shown import Shown, common_denominator
from smtalloc.check_slot_refutation import slot_refutation_flaw
from smtalloc.plan import Certificate, Clique, Dual, Part, SlotRefutation, Weighted


def certificate_flaws(rules: Rules, certificate: Certificate) -> Iterator[str]:
    """One sentence for each thing that is wrong. No parts at all is no claim: the bound is 0."""
    if not certificate.parts:
        return
    bits: list[int] = []
    for k, part in enumerate(certificate.parts):
        reason = _wrong_members(rules, part)
        if reason:
            yield f"part {k} of the certificate {reason}"
            return
        bits.append(_bits(part.buffers))
    reason = _entangled(rules, bits) or _uncovered(rules, bits)
    if reason:
        yield reason
    for k, part in enumerate(certificate.parts):
        reason = _wrong_bound(rules, part)
        if reason:
            yield f"part {k} of the certificate: {reason}"


def number(value: int | Fraction) -> str:
    """A number for a message: what a hostile certificate makes huge is not spelled out."""
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    return str(value) if bits <= 256 else f"(a number of {bits} bits)"


# --- the parts ---------------------------------------------------------------------------------------------


def _wrong_members(rules: Rules, part: Part) -> str | None:
    for b in part.buffers:
        if not 0 <= b < len(rules.buffers):
            return f"has a buffer {b} that does not exist"
        buffer = rules.buffers[b]
        if buffer.external:
            return f"counts {buffer.name}, which is not allocated here"
        if part.dynamic != (buffer.size_bytes is None):
            return f"counts {'slots' if part.dynamic else 'bytes'}, but has {buffer.name} of another kind"
    return "names a buffer twice" if len(set(part.buffers)) < len(part.buffers) else None


def _entangled(rules: Rules, parts: list[int]) -> str | None:
    """Parts are disjoint and no slot can span two, or their bounds would not add up."""
    union = 0
    for k, bits in enumerate(parts):
        if union & bits:
            return f"{rules.buffers[_lowest(union & bits)].name} is in two parts of the certificate"
        for b in _members(bits):
            meets = rules.partners[b] & union
            if meets:
                name, other = rules.buffers[b].name, rules.buffers[_lowest(meets)].name
                return f"{name} in part {k} of the certificate may share with {other} in another part"
        union |= bits
    return None


def _uncovered(rules: Rules, parts: list[int]) -> str | None:
    covered = 0
    for bits in parts:
        covered |= bits
    for b, buffer in enumerate(rules.buffers):
        if not buffer.external and not covered >> b & 1:
            return f"{buffer.name} is in no part of the certificate"
    return None


def _wrong_bound(rules: Rules, part: Part) -> str | None:
    evidence = part.evidence
    basis = evidence.shown if isinstance(evidence, SlotRefutation) else evidence
    weights = basis.weights if isinstance(basis, Dual) else ()
    reason = _wrong_cliques(rules, part, basis.cliques) or _wrong_weights(rules, part, weights)
    if reason:
        return reason
    if part.dynamic:
        if isinstance(evidence, SlotRefutation):
            return "slots of run-time size are counted by a clique, not by a refutation"
        return _too_much(part, max((len(clique.buffers) for clique in basis.cliques), default=0))
    shown = Shown(rules, part, basis.cliques, weights)
    if isinstance(evidence, SlotRefutation):
        return _wrong_rows(rules, part, evidence) or slot_refutation_flaw(rules, part, shown, evidence) or None
    return _too_much(part, shown.bound)


def _too_much(part: Part, proven: int) -> str | None:
    if part.bound > proven:
        return f"the bound is said to be {number(part.bound)}, but the evidence shows only {number(proven)}"
    return None


def _wrong_rows(rules: Rules, part: Part, evidence: SlotRefutation) -> str | None:
    """Each is a clique of members that fit a slot of its size."""
    sizes = {rules.buffers[b].size_bytes or 0 for b in part.buffers} - {0}
    inside = _bits(part.buffers)
    for row in evidence.rows:
        if row.slot_bytes not in sizes:
            return f"a row is for slots of {number(row.slot_bytes)} bytes, the size of no member that has bytes"
        reason = _wrong_clique(rules, inside, row.buffers) or _misfit(rules, row.slot_bytes, row.buffers, "row")
        if reason:
            return reason
    return None


def _misfit(rules: Rules, slot_bytes: int, members: tuple[int, ...], of: str) -> str | None:
    for b in members:
        if (rules.buffers[b].size_bytes or 0) > slot_bytes:
            return f"{rules.buffers[b].name} does not fit the {number(slot_bytes)} bytes of its {of}"
    return None


def _wrong_cliques(rules: Rules, part: Part, cliques: tuple[Clique, ...]) -> str | None:
    inside = _bits(part.buffers)
    for clique in cliques:
        if clique.threshold_bytes < 0 or (part.dynamic and clique.threshold_bytes):
            return f"the threshold of a clique cannot be {number(clique.threshold_bytes)} here"
        reason = _wrong_clique(rules, inside, clique.buffers)
        if reason:
            return reason
        for b in clique.buffers:
            size = rules.buffers[b].size_bytes
            if size is not None and size < clique.threshold_bytes:
                name, least = rules.buffers[b].name, number(clique.threshold_bytes)
                return f"{name} has {number(size)} bytes, less than the threshold {least} of its clique"
    return None


def _wrong_weights(rules: Rules, part: Part, weights: tuple[Weighted, ...]) -> str | None:
    """Each multiplier, and that those of one slot size sum to no more than it (`S_k <= w_k`)."""
    if part.dynamic and weights:
        return "slots of run-time size are counted by a clique, not by multipliers"
    if not common_denominator(weights):
        return "the multipliers have no common denominator that is small enough to count in"
    sizes = {rules.buffers[b].size_bytes or 0 for b in part.buffers}
    inside = _bits(part.buffers)
    spent = dict.fromkeys(sizes, Fraction(0))
    for weighted in weights:
        reason = _wrong_weight(rules, inside, weighted, sizes)
        if reason:
            return reason
        spent[weighted.slot_bytes] += weighted.weight
    for size, total in spent.items():
        if total > size:
            return f"the multipliers for slots of {number(size)} bytes sum to {number(total)}, which is more"
    return None


def _wrong_weight(rules: Rules, inside: int, weighted: Weighted, sizes: set[int]) -> str | None:
    size = weighted.slot_bytes
    if size not in sizes:
        return f"a multiplier is for slots of {number(size)} bytes, the size of no member"
    if weighted.weight <= 0:
        return f"the multiplier {number(weighted.weight)} is not positive"
    reason = _wrong_clique(rules, inside, weighted.buffers)
    return reason or _misfit(rules, size, weighted.buffers, "multiplier")


def _wrong_clique(rules: Rules, inside: int, members: tuple[int, ...]) -> str | None:
    """Members of the part (`inside`), each once, and no two may share."""
    clique = 0
    for b in members:
        if b < 0 or not inside >> b & 1:
            return f"a clique has buffer {b}, which is not in the part"
        if clique >> b & 1:
            return f"a clique has {rules.buffers[b].name} twice"
        meets = rules.partners[b] & clique
        if meets:
            return f"{rules.buffers[_lowest(meets)].name} and {rules.buffers[b].name} are in one clique, but may share"
        clique |= 1 << b
    return None


def _bits(members: Sequence[int]) -> int:
    bits = 0
    for b in members:
        bits |= 1 << b
    return bits


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def _members(bits: int) -> Iterator[int]:
    while bits:
        yield _lowest(bits)
        bits &= bits - 1
