"""Estimates without a spread."""

from sorb.lab.statistics import Estimate


def exactly(value, repetitions=15):
    return Estimate(value, value, value, repetitions)
