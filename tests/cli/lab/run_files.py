"""A run file of four units."""

CONFIGURATION = '[[parts]]\ndatasets = ["iris"]\nmethods = ["LLTB", "TGB"]\nrepetitions = 2\n'
