"""From whatever table a user has to numbers, a schema and targets, checked once.

DataFrames, arrays, outcomes and weights come in; a matrix of numbers with what its columns mean, or
an error that names the column and the row, goes out.
"""
