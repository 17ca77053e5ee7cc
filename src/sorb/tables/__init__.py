"""From whatever table a user has to numbers, a schema and targets, checked once.

Data frames, arrays and files come in, with outcomes and weights. What goes out is either a matrix
of numbers with a schema that says what its columns mean (`TrainingData`, for learning), or a source
of columns by name (for predictions), or an error that names the column, the row and the value.
"""
