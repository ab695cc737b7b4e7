"""What each way to least squares costs.

    form XᵀX  n d²        solve  d³/3        QR  2 n d²        one pass of gradient descent  4 n d              (1)

Golub & Van Loan (2013), tables of chapter 5; Bottou & Bousquet (2008), "The tradeoffs of large scale learning", for the
iterative ones. A fused multiply-add counts as two operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from gnomon.numerics.validation import check_integer

__all__ = ["Cost", "CostReport", "cost_report"]


class Cost(NamedTuple):
    """Operations and memory of one method.

    Parameters
    ----------
    method : str
    flops : float
        Floating-point operations of the whole solve, of one pass or of one step, as `per` says.
    memory : float
        Numbers kept beside X and y.
    per : str
        "solve", "pass" or "step".
    order : str
        The leading terms.

    References
    ----------
    Golub, G. H. & Van Loan, C. F. (2013). Matrix Computations. ISBN 978-1-4214-0794-4.

    Examples
    --------
    >>> from gnomon.linear import cost_report
    >>> cost_report(1000, 10)["sgd"]
    Cost(method='sgd', flops=40.0, memory=10, per='step', order='4d')
    """

    method: str
    flops: float
    memory: float
    per: Literal["solve", "pass", "step"]
    order: str


@dataclass(frozen=True)
class CostReport:
    """The costs of all methods for n rows and d columns; printed as a table.

    Parameters
    ----------
    n, d : int
    rows : tuple of Cost

    References
    ----------
    Golub, G. H. & Van Loan, C. F. (2013). Matrix Computations. ISBN 978-1-4214-0794-4.

    Examples
    --------
    >>> from gnomon.linear import cost_report
    >>> cost_report(500_000, 100).cheapest(), cost_report(50, 100).cheapest()
    ('cholesky', 'qr')
    """

    n: int
    d: int
    rows: tuple[Cost, ...]

    def __getitem__(self, method: str) -> Cost:
        return {row.method: row for row in self.rows}[method]

    def cheapest(self) -> Literal["cholesky", "qr"]:
        """The closed form that ``solver="auto"`` tries first: Cholesky where n ≫ d makes it cheaper, else QR."""
        tall = self.n >= _TALL * self.d and self.n * self.d > _SMALL
        return "cholesky" if tall and self["cholesky"].flops <= self["qr"].flops else "qr"

    def __str__(self) -> str:
        head = f"{'method':<10} {'flops':>10} {'memory':>10}  per    order"
        lines = [f"{c.method:<10} {c.flops:>10.3g} {c.memory:>10.3g}  {c.per:<6} {c.order}" for c in self.rows]
        return "\n".join([head, *lines])


_TALL = 4
_SMALL = 2**14
"""Below this many numbers in X every method takes a moment, so the most accurate is taken."""


def cost_report(n: int, d: int) -> CostReport:
    """Operations and memory of each method for n rows and d columns.

    Parameters
    ----------
    n, d : int

    Returns
    -------
    CostReport

    References
    ----------
    Golub, G. H. & Van Loan, C. F. (2013). Matrix Computations. ISBN 978-1-4214-0794-4.

    Bottou, L. & Bousquet, O. (2008). The tradeoffs of large scale learning. Advances in Neural Information Processing
    Systems 20.

    Examples
    --------
    >>> from gnomon.linear import cost_report
    >>> print(cost_report(1000, 10))
    method          flops     memory  per    order
    cholesky        1e+05        110  solve  n d² + d³/3
    normal       1.01e+05        110  solve  n d² + 2d³/3
    qr           1.99e+05        110  solve  2n d² − 2d³/3
    svd           2.2e+05        330  solve  2n d² + 20d³
    pinv          6.2e+05      1e+04  solve  6n d² + 20d³
    dual         3.53e+08      1e+06  solve  2n² d + n³/3 (ridge, d > n)
    newton          2e+05        110  step   2n d² + d³/3
    gd              4e+04         10  pass   4n d
    sgd                40         10  step   4d
    """
    n, d = check_integer("n", n, 1), check_integer("d", d, 1)
    triangle = d * (d + 1)
    rows = (
        Cost("cholesky", n * d**2 + d**3 / 3, triangle, "solve", "n d² + d³/3"),
        Cost("normal", n * d**2 + 2 * d**3 / 3, triangle, "solve", "n d² + 2d³/3"),
        Cost("qr", 2 * n * d**2 - 2 * d**3 / 3, triangle, "solve", "2n d² − 2d³/3"),
        Cost("svd", 2 * n * d**2 + 20 * d**3, 3 * triangle, "solve", "2n d² + 20d³"),
        Cost("pinv", 6 * n * d**2 + 20 * d**3, n * d, "solve", "6n d² + 20d³"),
        Cost("dual", 2 * n**2 * d + n**3 / 3, n**2, "solve", "2n² d + n³/3 (ridge, d > n)"),
        Cost("newton", 2 * n * d**2 + d**3 / 3, triangle, "step", "2n d² + d³/3"),
        Cost("gd", 4.0 * n * d, d, "pass", "4n d"),
        Cost("sgd", 4.0 * d, d, "step", "4d"),
    )
    return CostReport(n, d, rows)
