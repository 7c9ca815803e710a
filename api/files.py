"""Open files. Law: as many as the system lets us have; each follower takes one, and the usual limit is low.

Programs are started with a limit of about a thousand, for the sake of old code, and may raise it themselves up to the
one that the operator has set.
"""

import sys
from contextlib import suppress


def many_files() -> None:
    """Raise the limit of open files of this process as far as it may go; where there is none, do nothing."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on every system

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with suppress(ValueError, OSError):  # some say that there is no limit, and refuse it all the same
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
