"""How hard Hypothesis tries: fast, or with `HYPOTHESIS_PROFILE=deep` long; in CI the same examples every time."""

import os

from hypothesis import settings

settings.register_profile("fast", max_examples=100, deadline=None)
settings.register_profile("deep", max_examples=3000, deadline=None)
settings.register_profile("ci", settings.get_profile("fast"), derandomize=True, database=None)

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "fast"))
