"""How the page writes numbers against how Python does."""

import numpy as np
from report.javascript_core import needs_node, run_core

from sorb.rules import notation

pytestmark = needs_node

WRITTEN = """({ value, digits }) => [
  numbers_.formatNumber(value, digits), numbers_.formatPlain(value, digits),
  numbers_.formatSigned(value, digits),
]"""


def test_numbers_are_written_as_in_python():
    rng = np.random.default_rng(0)
    values = [0.8567, -40.0, 123456.7, 1.5e-7, 2e12, 0.1 + 0.2, 0.0, 1e9, -1e-4, 9.9999e-5, 1e16]
    values += [999.96, 0.00099996, 5e-324, 1.7e308, 123456789.5, -2.5, 12345678901234567.0]
    values += (rng.normal(size=300) * 10.0 ** rng.integers(-9, 14, 300)).tolist()
    values += [0.125, 0.375, 12.625, 2.5e9, 1.25e9, 123456.5, 123457.5, 1.5, -0.5]  # ties
    values += np.round(rng.normal(size=100) * 100, 2).tolist()
    cases = [{"value": v, "digits": d} for v in values for d in (1, 3, 4, None)]
    for case, texts in zip(cases, run_core(WRITTEN, cases), strict=True):
        value, digits = case.values()
        wanted = [write(value, digits) for write in WRITERS]
        assert texts == wanted, case


WRITERS = (notation.number, notation.plain_number, notation.signed)
