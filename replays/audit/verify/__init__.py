"""The proof half of the verifier. Law: standard library, `cryptography` and the audit; no rules, no store, no server.

It shows that the entries are the ones that were signed, in their order and whole, and that every die follows from links
that were committed to before. Whether the rules give what stands there is for the other half (`replays.reexamine`).
"""
