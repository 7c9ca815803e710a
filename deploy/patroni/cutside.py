"""Players on the side that is cut off. Law: whatever is acknowledged here is a promise like any other.

Runs on the leader's node (`python -m deploy.patroni.cutside PORT PLAYERS`), plays there until its standard input ends,
then waits until everything is answered and prints what it saw as JSON.
"""

import json
import sys
from dataclasses import asdict

from deploy.checking import check_all
from deploy.load import Load


def main() -> None:
    """Play, wait, tell."""
    place = ("127.0.0.1", int(sys.argv[1]))
    load = Load([place], [place], pause=0.05)
    load.begin(int(sys.argv[2]))
    sys.stdin.read()
    wrong = load.end(60)
    if not wrong:
        wrong, _ = check_all(load.places, load.battles, load.promises, load.followers)
    told = {
        "battles": [asdict(battle) for battle in load.battles],
        "promises": [asdict(promise) for promise in load.promises],
        "failures": len(load.failures),
        "wrong": wrong + load.odd,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
