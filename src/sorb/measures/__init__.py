"""How good predictions are: ranking, log loss, decisions at a cut-off, errors in the user's units.

Scores, outcomes and sample weights come in, from any model; measures and their intervals go out,
beside those of the baseline and of models that many people would try first. Weights that are whole
numbers count copies of rows, also in the intervals; others say how much a single row counts.
"""
