"""Settings of hypothesis for tests of what takes long."""

from hypothesis import settings

quick = settings(max_examples=25, derandomize=True)
