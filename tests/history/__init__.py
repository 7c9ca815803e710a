"""Many clients, two services, one database, and kills. Law: what was acknowledged is in the log once, and nothing else.

`run` plays, `laws` reads what the clients wrote down beside the logs and tells every contradiction; the one knows
nothing of the other but the files between them. `python -m bench.history` is the long run, `test_history` a short one.
"""
