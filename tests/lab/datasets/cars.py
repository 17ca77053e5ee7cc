"""A small table of a user."""

CARS = """number,km,colour,sold
1,120.5,red,no
2,80,blue,yes
3,95,red,yes
"""
