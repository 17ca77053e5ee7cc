"""Search strategies: each proposes one condition for each level of complexity, for both signs."""

from sorb.search.axis import AxisSearch
from sorb.search.candidates import Candidate, Search
from sorb.search.oblique import ObliqueSearch

__all__ = ["AxisSearch", "Candidate", "ObliqueSearch", "Search"]
