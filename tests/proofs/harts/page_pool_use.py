"""Contract between a node and its pool of free pages, in both directions.

The first is assumed in the proof of the pool and proved of the node, the second the other way round.
"""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Mux, Signal

from rtl.parts.selection import concat
from tests.proofs.claims import Claims


class PagePoolUse:
    """The pages that are out, recorded cycle by cycle.

    Parameters
    ----------
    claims : Claims
    pool : PagePool or interface
    pages : int

    Members
    -------
    out : Value
        Pages that have been taken and have not come back: a bit for every number that the ports can carry.
    """

    def __init__(self, claims: Claims, pool: Any, pages: int):
        self._claims, self.pool, self.pages = claims, pool, pages
        bits = [Signal(name=f"out_{page}") for page in range(1 << len(pool.page))]
        for page, bit in enumerate(bits):
            taken, given = pool.take & (pool.page == page), pool.give & (pool.given == page)
            claims.m.d.sync += bit.eq((bit | taken) & ~given)
        self.out = claims.named(concat(bits), "out_reference")

    def contract(self, page: Any) -> Iterator[tuple[str, Any]]:
        """Assumptions of the pool, by name; of the page that comes back only if it is ``page``."""
        pool = self.pool
        yield "a page is taken only if one is free", ~pool.take | (pool.free != 0)
        yield "a page comes back only if it is out", ~pool.give | (pool.given != page) | self.out.bit_select(page, 1)

    def promises(self) -> Iterator[tuple[str, Any]]:
        """Guarantees of the pool, by name."""
        pool = self.pool
        sound = (pool.page < self.pages) & ~self.out.bit_select(pool.page, 1)
        yield "a page that is handed out is not out already", (pool.free == 0) | sound

    def count(self) -> Any:
        """Number of pages that are out.

        Pages with a number below k are counted for each k, so that no step of the proof has to add up bits.
        """
        claims, pool = self._claims, self.pool
        below: Any = 0
        for page in range(self.pages):
            count: Any = Signal(range(self.pages + 1), name=f"out_up_to_{page}")
            taken, given = pool.take & (pool.page <= page), pool.give & (pool.given <= page)
            with claims.m.If(taken != given):
                claims.m.d.sync += count.eq(Mux(taken, count + 1, count - 1))
            claims.invariant("pages that are out are counted", count == below + self.out[page])
            below = count
        for none in range(self.pages, len(self.out)):
            claims.invariant("there are no other pages", ~self.out[none])
        return below
