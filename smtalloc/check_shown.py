"""What the cliques and multipliers of a part show, for the independent checker: the numbers of docs/certificates.md,
under the names that they have there. Whether the cliques are cliques is checked before (check_certificate.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from math import gcd, lcm

from smtalloc.check_rules import Rules
from smtalloc.plan import Clique, Part, Weighted

_MOST_BITS = 4096


class Shown:
    """Of a part of known sizes. Lists go over the classes k, from the largest size down.

    Numbers that weights go into are integers, in units of `1 / scale` bytes.
    """

    def __init__(self, rules: Rules, part: Part, cliques: Sequence[Clique], weights: Sequence[Weighted]) -> None:
        self.size_of = {b: rules.buffers[b].size_bytes or 0 for b in part.buffers}
        self.sizes = sorted(set(self.size_of.values()), reverse=True)  # w_k
        self.unit = gcd(*self.sizes) or 1  # g
        self.tallest = [  # h_k
            max((len(c.buffers) for c in cliques if c.threshold_bytes >= size), default=0) for size in self.sizes
        ]
        self.scale = common_denominator(weights)
        self.weights: dict[int, list[tuple[int, tuple[int, ...]]]] = {size: [] for size in self.sizes}
        """`w_k` -> weights, and the members of their cliques."""
        self.shares: dict[int, dict[int, int]] = {size: {} for size in self.sizes}
        """`w_k` -> member -> the weights of this size that hold it."""
        for weighted in weights:
            weight = weighted.weight.numerator * (self.scale // weighted.weight.denominator)
            self.weights[weighted.slot_bytes].append((weight, weighted.buffers))
            share = self.shares[weighted.slot_bytes]
            for b in weighted.buffers:
                share[b] = share.get(b, 0) + weight
        self.left = [  # w_k - S_k
            size * self.scale - sum(weight for weight, _ in self.weights[size]) for size in self.sizes
        ]
        self.floors = [*accumulate(self.left, min), 0]  # M_k
        self.layers = [high - low for high, low in pairwise(self.floors)]  # M_k - M_(k+1)

    @cached_property
    def prices(self) -> dict[int, int]:
        """P_j"""
        return {b: self._price(b, size) for b, size in self.size_of.items()}

    def _price(self, b: int, size: int) -> int:
        found: list[int] = []
        for width in self.sizes:
            if width < size:
                break
            share = self.shares[width].get(b)
            if share is None:
                return 0  # the least: no weight is negative
            found.append(share)
        return min(found)

    @cached_property
    def sum(self) -> int:
        """B; without weights it is `sum (w_k - w_(k+1)) h_k`."""
        layers = sum(layer * tallest for layer, tallest in zip(self.layers, self.tallest, strict=True))
        return sum(self.prices.values()) + layers

    @property
    def bound(self) -> int:
        """B in bytes, rounded up to a multiple of g."""
        return -(-self.sum // (self.unit * self.scale)) * self.unit


def common_denominator(weights: Sequence[Weighted]) -> int:
    """0 if it is too large to count in."""
    found = 1
    for weighted in weights:
        found = lcm(found, weighted.weight.denominator)
        if found.bit_length() > _MOST_BITS:
            return 0
    return found
