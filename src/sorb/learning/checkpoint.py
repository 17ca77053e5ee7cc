"""The rules so far, kept while a model grows, so that a later process can go on from there."""

from __future__ import annotations

import json
from typing import Any, Protocol

from sorb.learning.boosting import GrownModels
from sorb.learning.stages import Stage
from sorb.rules import RuleEnsemble

_NUMBERS = ("complexity", "train_risk", "objective", "seconds", "reg_lambda")


class Checkpoint(Protocol):
    """Keeps what has grown."""

    def read(self) -> GrownModels | None:
        """What an earlier growth left behind; None if there was none."""
        ...

    def write(self, grown: GrownModels) -> None:
        """Keep what has grown so far, in place of what was kept before."""
        ...


def grown_to_document(grown: GrownModels) -> dict[str, Any]:
    """Write what has grown as a JSON document."""
    return {
        "rules": len(grown.last),
        "model": _ensemble_to_document(grown.last),
        "largest_selected": grown.largest_selected,
        "stages": [
            {
                **{name: getattr(stage, name) for name in _NUMBERS},
                "model": _ensemble_to_document(stage.ensemble),
            }
            for stage in grown.stages
        ],
    }


def grown_from_document(document: dict[str, Any]) -> GrownModels:
    """Read what has grown; raises KeyError, TypeError or ValueError if that is not what it is."""
    stages = [
        Stage(_ensemble_from_document(part["model"]), *(part[name] for name in _NUMBERS))
        for part in document["stages"]
    ]
    last = _ensemble_from_document(document["model"])
    return GrownModels(last, stages, int(document["largest_selected"]))


def _ensemble_to_document(ensemble: RuleEnsemble) -> Any:
    return json.loads(ensemble.to_json())


def _ensemble_from_document(document: Any) -> RuleEnsemble:
    return RuleEnsemble.from_json(json.dumps(document))
