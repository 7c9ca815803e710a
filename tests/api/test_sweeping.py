"""How often Python searches for cycles: seldom while it serves, and never among what was made to stay."""

import gc
import subprocess
import sys

from api.sweeping import NEW_OBJECTS, swept_seldom


def test_it_is_seldom_in_the_block_and_as_before_after_it() -> None:
    before = gc.get_threshold()
    with swept_seldom():
        assert gc.get_threshold()[0] == NEW_OBJECTS > before[0]
        assert gc.isenabled()
    assert gc.get_threshold() == before


def test_garbage_is_still_found() -> None:
    # In a process of its own: what stays there stays for good.
    program = """
import gc, weakref
from api.sweeping import made_to_stay, swept_seldom
class Thing: pass
with made_to_stay():
    kept = [Thing()]
assert gc.get_freeze_count() > 0 and gc.isenabled()
with swept_seldom():
    thing = Thing()
    thing.own = thing
    gone = weakref.ref(thing)
    del thing
    more = [[] for _ in range(60_000)]
    assert gone() is None
assert kept
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
