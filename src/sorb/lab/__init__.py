"""The laboratory: compare methods that learn readable models, as the paper on LLTBoost did.

LLTBoost (logistic linear transformation boosting) is the method behind sorb. In comes a run: which
`methods` on which `datasets`, how often, with what settings (`run_file`, `configuration`). The
`runner` does each unit of it by the paper's `protocol` and keeps it in a folder of `results`. From
these come `tables`, `figures` and a one-page `report`, which share `curves` and `statistics`.
"""
