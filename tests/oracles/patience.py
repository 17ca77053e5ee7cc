"""Settings of hypothesis that do not look at the clock, which a busy machine would fail."""

from functools import partial

from hypothesis import HealthCheck, settings

patient = partial(settings, deadline=None, suppress_health_check=[HealthCheck.too_slow])
quick = settings(max_examples=25, deadline=None, derandomize=True)
