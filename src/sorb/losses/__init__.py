"""What is minimised: everything that depends on the loss, from the domain of y to what is printed.

Outcomes and scores come in; losses, gradients, curvatures, expected outcomes and the words for them
go out.
"""

from sorb.losses.loss import LOSSES, Loss

__all__ = ["LOSSES", "Loss"]
