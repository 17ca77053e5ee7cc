"""What is minimised: everything that depends on the loss, from the domain of y to what is printed.

Outcomes and scores come in; losses, gradients, curvatures, expected outcomes and the words for them
go out. Each loss is one class in one file, and no other code asks for its name:

==========  =============  ======================  ==================
loss        y              votes add up to         measure
==========  =============  ======================  ==================
squared     any number     the prediction          mean squared error
logistic    two classes    log-odds                log loss
softmax     more classes   a score of each class   log loss
poisson     0 or more      log(expected count)     Poisson deviance
gamma       more than 0    log(expected amount)    gamma deviance
tweedie     0 or more      log(expected amount)    Tweedie deviance
==========  =============  ======================  ==================
"""

from __future__ import annotations

from dataclasses import fields

from sorb.losses.base import Loss, Readout
from sorb.losses.gamma import Gamma
from sorb.losses.logistic import Logistic
from sorb.losses.poisson import Poisson
from sorb.losses.softmax import Softmax
from sorb.losses.squared import Squared
from sorb.losses.tweedie import Tweedie

__all__ = [
    "LOSSES",
    "PARAMETERS",
    "Gamma",
    "Logistic",
    "Loss",
    "Poisson",
    "Readout",
    "Softmax",
    "Squared",
    "Tweedie",
    "loss_by_name",
    "parameter_names",
]

LOSSES: dict[str, type[Loss]] = {
    kind.name: kind for kind in (Squared, Logistic, Softmax, Poisson, Gamma, Tweedie)
}
"""All losses by name."""


def loss_by_name(name: str, **parameters: float) -> Loss:
    """Give a loss by its name and parameters, which it checks.

    Examples
    --------
    >>> loss_by_name("poisson").measure
    'Poisson deviance'
    >>> loss_by_name("poisson", power=1.5)
    Traceback (most recent call last):
    ...
    ValueError: power is a parameter of the loss tweedie, not of poisson
    """
    if name not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, found {name}")
    for parameter in PARAMETERS:
        if parameter in parameters and parameter not in parameter_names(name):
            owners = " or ".join(other for other in LOSSES if parameter in parameter_names(other))
            raise ValueError(f"{parameter} is a parameter of the loss {owners}, not of {name}")
    return LOSSES[name](**parameters)


def parameter_names(name: str) -> tuple[str, ...]:
    """Give the names of the parameters of a loss; there are none if it is not known.

    Examples
    --------
    >>> parameter_names("tweedie"), parameter_names("poisson")
    (('power',), ())
    """
    return tuple(field.name for field in fields(LOSSES[name])) if name in LOSSES else ()


PARAMETERS = tuple(dict.fromkeys(each for name in LOSSES for each in parameter_names(name)))
"""The names of the parameters of all losses."""
