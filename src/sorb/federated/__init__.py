"""Learning from tables that must not be pooled: the model of all rows, from sums at each site.

An estimator and some sites come in; the estimator is fitted to the rows of all of them. A site
answers a few plain questions about its table, which can be sent by any means.
"""

from sorb.federated.remote_source import AnsweringSite, SiteError
from sorb.federated.site import Site
from sorb.federated.training import fit

__all__ = ["AnsweringSite", "Site", "SiteError", "fit"]
