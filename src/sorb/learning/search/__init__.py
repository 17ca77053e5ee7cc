"""Search strategies: each proposes conditions of growing complexity, for both signs.

A search input comes in; candidates, one for each level of complexity and sign of the gradient, go
out.
"""

from sorb.learning.search.axis import AxisSearch
from sorb.learning.search.candidates import Candidate, Search
from sorb.learning.search.oblique import ObliqueSearch

__all__ = ["AxisSearch", "Candidate", "ObliqueSearch", "Search"]
