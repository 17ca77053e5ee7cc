"""A tour: three small models, printed and drawn. Run it with ``python -m sorb.demo``."""
