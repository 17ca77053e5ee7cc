"""The method: from rows of numbers to a sequence of growing rule ensembles.

Checked training data come in; each round of the boosting loop draws a bag, searches it for
conditions, selects the one worth its complexity and refits all votes. Stages, each with its rule
ensemble, go out.

The modules in the order in which the data pass them: rows, bags, objectives, search (with
separators), selection, refit, boosting, stages; around them folds, cross_validation and progress.
Tables out of reach are sources that answer questions: lazy_source for one, federation for several.
"""
