"""What a verifier on the train has: Python, `cryptography`, and this folder."""

import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).parents[3]
LOOK = """
import sys
before = set(sys.modules)
import replays.audit.keylist, replays.audit.keys, replays.audit.merkle_tree, replays.audit.signer
roots = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(roots - sys.stdlib_module_names))
print(*sorted(name for name in sys.modules if name.startswith("replays.") and not name.startswith("replays.audit")))
"""


def test_notes_trees_and_keys_need_only_the_standard_library_and_cryptography() -> None:
    found = subprocess.run([sys.executable, "-c", LOOK], cwd=HOUSE, capture_output=True, text=True, check=True)
    needed, others = found.stdout.split("\n")[:2]
    assert {name for name in needed.split() if not name.startswith("_")} == {"cryptography", "replays"}
    assert others == ""
