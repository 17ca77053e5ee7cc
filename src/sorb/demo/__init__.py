"""A tour of sorb: three tables come in, three small models go out, printed and drawn.

Run it with ``python -m sorb.demo``. Each model is learned by LLTBoost (logistic linear
transformation boosting) and compared with one of axis-parallel rules.
"""
