"""Recovery. Law: a pinned fig misses its next turn, unless a friend is near and its initiative test passes (NME-25)."""

from typing import Literal

from domain import events as e
from domain.battle import Battle, Fig
from domain.commands import Recover
from domain.contact import meet
from domain.draft import Draft
from domain.measures import inches, squared, within
from domain.refusals import refuse


def recover(draft: Draft, command: Recover) -> None:
    """The initiative test of a pinned fig at the start of its turn (NME-25)."""
    fig = draft.fig(command.fig)
    _check_may_test(draft.battle, fig)
    friend = friend_near(draft.battle, fig)
    if friend is None:
        near = inches(draft.battle.nme.recovery_friend_within)
        refuse("NME-25", f'{fig.id} has no friend within {near}" to steady it', [_by_itself(fig)])
    thrown = draft.throw("recovery", 1, 6)
    face, needed = thrown.faces[0], fig.nme.initiative
    passed = face <= needed
    draft.emit(e.RecoveryRolled(fig.id, friend, (thrown,), face, needed, passed, "NME-25"))
    if passed:
        _get_up(draft, fig.id, "test")


def recover_at_end_of_turn(draft: Draft) -> None:
    """Figs that lay pinned through the whole of their side's turn have missed it, and get up (NME-25)."""
    battle = draft.battle
    for fig in battle.figs_of(battle.side):
        if fig.status == "pinned" and fig.pinned_turn < battle.turn:
            _get_up(draft, fig.id, "turn_missed")


def friend_near(battle: Battle, fig: Fig) -> str | None:
    """The nearest friend that lets a pinned fig test, first at the muster among equals; a leader is its own."""
    policy = battle.nme
    friends = [
        (squared(fig.at, other.at), other.id)
        for other in battle.figs_of(fig.side)
        if other.id != fig.id
        and not (other.nme.juve and "juve" in policy.recovery_friend_excludes)
        and not (other.status == "down" and "down" in policy.recovery_friend_excludes)
        and within(squared(fig.at, other.at), policy.recovery_friend_within)
    ]
    if friends:
        return min(friends, key=lambda friend: friend[0])[1]
    return fig.id if fig.nme.leader and policy.recovery_leader_self else None


def _check_may_test(battle: Battle, fig: Fig) -> None:
    may = [
        f.id for f in battle.figs_of(fig.side) if f.status == "pinned" and f.pinned_turn < battle.turn and not f.tested
    ]
    if fig.status != "pinned":
        refuse("NME-25", f"{fig.id} is {fig.status}: only a pinned fig recovers", may)
    if fig.pinned_turn >= battle.turn:
        refuse("NME-25", f"{fig.id} was pinned in this very turn, and misses its next", may)
    if fig.tested:
        refuse("NME-25", f"{fig.id} has had its test of this turn", [_by_itself(fig)])


def _by_itself(fig: Fig) -> str:
    return f"{fig.id} gets up by itself at the end of this turn"


def _get_up(draft: Draft, name: str, how: Literal["test", "turn_missed"]) -> None:
    draft.emit(e.FigRecovered(name, how))
    # Who gets up next to an active enemy is in combat.
    meet(draft, name)
