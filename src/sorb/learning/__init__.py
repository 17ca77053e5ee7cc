"""The method: from rows of numbers to a sequence of growing rule ensembles.

A checked training table comes in; each round of the boosting loop draws a bag, searches it for
conditions, selects the one worth its complexity and refits all votes. Stages, each with its rule
ensemble, go out.
"""
