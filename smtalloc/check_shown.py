"""What the cliques and multipliers of a part show, for the independent checker: the numbers of docs/certificates.md,
under the names that they have there. Whether the cliques are cliques is checked before (check_certificate.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import gcd

from smtalloc.check_rules import Rules
from smtalloc.plan import Clique, Part, Weighted

ZERO = Fraction(0)


class Shown:
    """Of a part of known sizes. Lists go over the classes k, from the largest size down."""

    def __init__(self, rules: Rules, part: Part, cliques: Sequence[Clique], weights: Sequence[Weighted]) -> None:
        self.size_of = {b: rules.buffers[b].size_bytes or 0 for b in part.buffers}
        self.sizes = sorted(set(self.size_of.values()), reverse=True)  # w_k
        self.unit = gcd(*self.sizes) or 1  # g
        self.tallest = [  # h_k
            max((len(c.buffers) for c in cliques if c.threshold_bytes >= size), default=0) for size in self.sizes
        ]
        self.weights: dict[int, list[Weighted]] = {size: [] for size in self.sizes}
        self.shares: dict[int, dict[int, Fraction]] = {size: {} for size in self.sizes}
        """`w_k` -> member -> the weights of this size that hold it."""
        for weighted in weights:
            self.weights[weighted.slot_bytes].append(weighted)
            share = self.shares[weighted.slot_bytes]
            for b in weighted.buffers:
                share[b] = share.get(b, ZERO) + weighted.weight
        self.left = [size - sum((w.weight for w in self.weights[size]), ZERO) for size in self.sizes]  # w_k - S_k
        self.floors = [*accumulate(self.left, min), ZERO]  # M_k
        self.layers = [high - low for high, low in pairwise(self.floors)]  # M_k - M_(k+1)

    @cached_property
    def prices(self) -> dict[int, Fraction]:
        """P_j"""
        return {b: self._price(b, size) for b, size in self.size_of.items()}

    def _price(self, b: int, size: int) -> Fraction:
        found: list[Fraction] = []
        for width in self.sizes:
            if width < size:
                break
            share = self.shares[width].get(b)
            if share is None:
                return ZERO  # the least: no weight is negative
            found.append(share)
        return min(found)

    @cached_property
    def sum(self) -> Fraction:
        """B; without weights it is `sum (w_k - w_(k+1)) h_k`."""
        layers = (layer * tallest for layer, tallest in zip(self.layers, self.tallest, strict=True))
        return sum(self.prices.values(), ZERO) + sum(layers, ZERO)
