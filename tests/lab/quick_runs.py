"""Runs that take no time, here and in a process of their own."""

from sorb.lab.configuration import Configuration, Part
from sorb.lab.protocol import Protocol

QUICK = Protocol(reg_lambdas=(1.0,))
TWO = Configuration("two", (Part(("iris", "diabetes"), ("TGB",), 1),), QUICK)
SCRIPT = """
import sys
from sorb.lab.configuration import Configuration, Part
from sorb.lab.protocol import Protocol
from sorb.lab.runner import run
part = Part(("iris", "diabetes"), ("TGB",), 12)
run(Configuration("many", (part,), Protocol(reg_lambdas=(1.0,))), sys.argv[1])
"""
