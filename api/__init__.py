"""Ways in. Law: everything that reaches the referee was bounded and checked here; nothing here decides a rule."""

VERSION = "0.1.0"
"""The release, as `/openapi.json` and the command line say it."""
