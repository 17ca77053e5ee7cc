"""Sparse oblique rule boosting."""
