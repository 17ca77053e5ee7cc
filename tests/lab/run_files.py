"""A run file of two datasets and two methods."""

TWO = """
[[parts]]
datasets = ["iris", "diabetes"]
methods = ["LLTB", "TGB"]
repetitions = 2
"""
