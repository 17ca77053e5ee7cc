"""Search strategies: each proposes one condition for each level of complexity, for both signs."""

from sorb.learning.search.axis import AxisSearch
from sorb.learning.search.candidates import Candidate, Search
from sorb.learning.search.oblique import ObliqueSearch

__all__ = ["AxisSearch", "Candidate", "ObliqueSearch", "Search"]
