"""The rule systems, by rules version. Law: a battle is decided by the version that it names, for ever."""

from domain.draft import System
from domain.refusals import invalid
from domain.systems.mfd import MFD_1
from domain.systems.nme import NME_1

VERSIONS: dict[str, System] = {NME_1.rules: NME_1, MFD_1.rules: MFD_1}
"""Every version ever released; old ones stay."""

CURRENT = {"nme": NME_1.rules, "mfd": MFD_1.rules}
"""The version that a new battle of each system gets."""


def system_of(rules: str) -> System:
    """The rule system of that version; refuses one that this release does not know."""
    if rules not in VERSIONS:
        invalid(f"this release does not know the rules {rules!r}", "/rules", VERSIONS)
    return VERSIONS[rules]
