"""Does a certificate prove the bound that it states? For the independent checker (check.py).

docs/certificates.md says what has to hold and why it bounds the cost of every plan; the names are those of that page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, gcd

from smtalloc.check_rules import Rules
from smtalloc.plan import Certificate, Clique, Cliques, Dual, Part, Weighted


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
    match part.evidence:
        case Cliques(cliques):
            weights: tuple[Weighted, ...] = ()
        case Dual(weights, cliques):
            pass
    reason = _wrong_cliques(rules, part, cliques) or _wrong_weights(rules, part, weights)
    if reason:
        return reason
    if part.dynamic:
        proven = max((len(clique.buffers) for clique in cliques), default=0)
    else:
        proven = _proven_bytes(rules, part, cliques, weights)
    if part.bound > proven:
        return f"the bound is said to be {number(part.bound)}, but the evidence shows only {number(proven)}"
    return None


def _wrong_cliques(rules: Rules, part: Part, cliques: tuple[Clique, ...]) -> str | None:
    for clique in cliques:
        if clique.threshold_bytes < 0 or (part.dynamic and clique.threshold_bytes):
            return f"the threshold of a clique cannot be {number(clique.threshold_bytes)} here"
        reason = _wrong_clique(rules, part, clique.buffers)
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
    sizes = {rules.buffers[b].size_bytes or 0 for b in part.buffers}
    spent = dict.fromkeys(sizes, Fraction(0))
    for weighted in weights:
        reason = _wrong_weight(rules, part, weighted, sizes)
        if reason:
            return reason
        spent[weighted.slot_bytes] += weighted.weight
    for size, total in spent.items():
        if total > size:
            return f"the multipliers for slots of {number(size)} bytes sum to {number(total)}, which is more"
    return None


def _wrong_weight(rules: Rules, part: Part, weighted: Weighted, sizes: set[int]) -> str | None:
    size = weighted.slot_bytes
    if size not in sizes:
        return f"a multiplier is for slots of {number(size)} bytes, the size of no member"
    if weighted.weight <= 0:
        return f"the multiplier {number(weighted.weight)} is not positive"
    reason = _wrong_clique(rules, part, weighted.buffers)
    if reason:
        return reason
    for b in weighted.buffers:
        if (rules.buffers[b].size_bytes or 0) > size:
            return f"{rules.buffers[b].name} does not fit the {number(size)} bytes of its multiplier"
    return None


def _wrong_clique(rules: Rules, part: Part, members: tuple[int, ...]) -> str | None:
    """Members of the part, each once, and no two may share."""
    inside, clique = _bits(part.buffers), 0
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


# --- the bound ---------------------------------------------------------------------------------------------


def _proven_bytes(rules: Rules, part: Part, cliques: tuple[Clique, ...], weights: tuple[Weighted, ...]) -> int:
    """`g * ceil(B / g)`; without weights it is `sum (w_k - w_(k+1)) h_k`."""
    member_sizes = [rules.buffers[b].size_bytes or 0 for b in part.buffers]
    sizes = sorted(set(member_sizes), reverse=True)
    shares: dict[int, dict[int, Fraction]] = {size: {} for size in sizes}  # w_k -> member -> weights that hold it
    left = {size: Fraction(size) for size in sizes}  # w_k - S_k
    for weighted in weights:
        share = shares[weighted.slot_bytes]
        for b in weighted.buffers:
            share[b] = share.get(b, Fraction(0)) + weighted.weight
        left[weighted.slot_bytes] -= weighted.weight
    bound = Fraction(0)
    for b, size in zip(part.buffers, member_sizes, strict=True):  # P_j
        bound += min(shares[w].get(b, Fraction(0)) for w in sizes if w >= size)
    floors: list[Fraction] = []  # M_k
    for size in sizes:
        floors.append(min([left[size], *floors[-1:]]))
    for size, (high, low) in zip(sizes, pairwise([*floors, Fraction(0)]), strict=True):
        tallest = max((len(c.buffers) for c in cliques if c.threshold_bytes >= size), default=0)  # h_k
        bound += (high - low) * tallest
    unit = gcd(*sizes) or 1
    return unit * ceil(bound / unit)


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
