"""The worked examples of the rulebooks, decided by the rules alone; `tests/api/test_vectors.py` plays the same."""

import msgspec
import pytest

from domain.battle import Battle
from domain.commands import COMMAND
from domain.commitments import Anchor
from domain.decider import decide
from domain.dice import DiceWanted
from domain.docket import Docket
from domain.draft import REFEREE
from domain.events import Event, MfdHitRolled, NmeHitRolled
from domain.evolve import evolved
from domain.muster import NEW_BATTLE, muster
from domain.procedure import Ruling, rule
from domain.record import Record
from domain.refusals import Refused
from tests.rule_vectors import Row, Trial, check_events, told, trials
from tests.spec import Script, given, refused, when


def after(battle: Battle, step: Row) -> Battle:
    """The table after an action or a ruling."""
    if "do" in step:
        return when(battle, **step).battle
    record = Record(seq=1, time=0, battle=battle, tip=None, struck=None, docket=Docket(), anchor=Anchor())
    return evolved(battle, rule(record, Ruling.model_validate(step), REFEREE))


def plain(event: Event) -> tuple[str, Row]:
    """An event by its wire name."""
    kind = "HitRolled" if isinstance(event, MfdHitRolled | NmeHitRolled) else type(event).__name__
    return kind, msgspec.to_builtins(event)


def asked_for(battle: Battle, command: Row, dice: tuple[int, ...]) -> list[str]:
    """The rolls of an action, in order; one die short it is not decided."""
    script = Script(dice[:-1])
    with pytest.raises(DiceWanted):
        decide(battle, COMMAND.validate_python(command), REFEREE, script)
    return [f"{roll.purpose} {roll.count}d{roll.sides}" for roll in script.rolls]


@pytest.mark.parametrize("trial", [pytest.param(trial, id=trial.name) for trial in trials()])
def test_in_the_domain(trial: Trial) -> None:
    expect = trial.expect
    if trial.action is None:
        new = NEW_BATTLE.validate_python(trial.opening)
        if "refused" in expect:
            with pytest.raises(Refused) as caught:
                muster(new)
            assert (caught.value.refusal.kind, caught.value.refusal.rule) == ("rule-refused", expect["refused"])
        else:
            assert muster(new)
        return
    battle = given(trial.opening)
    for step in trial.before:
        battle = after(battle, step)
    if "refused" in expect:
        no = refused(battle, **trial.action)
        assert (no.kind, no.rule) == ("rule-refused", expect["refused"])
        return
    decision = when(battle, dice=trial.dice, **trial.action)
    check_events(expect, told([plain(event) for event in decision.events]))
    if trial.dice:
        assert asked_for(battle, trial.action, trial.dice) == expect["rolls"]
    for fig, status in expect.get("status", {}).items():
        assert decision.battle.fig(fig).status == status
