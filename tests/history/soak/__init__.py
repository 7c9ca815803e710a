"""The soak: a mixed load for minutes on one service. Law: what does not come back down is a leak until it is explained.

`python -m bench.soak` runs it; `crowd` is the load, `gauge` measures from outside, `verdict` says what grew.
"""
