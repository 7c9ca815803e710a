"""Undo. Law: dice that were seen are counted, and nobody's agreement is used for what he was not shown."""

from replays.audit.findings import Finding
from replays.audit.verify.case import Findings, Step


def seen_dice(step: Step) -> Findings:
    """An undo says how many dice it voids; where the policy says so, only the referee may."""
    trail = step.trail
    for line in step.of("ActionsUndone"):
        seen = sum(trail.dice.get(action, 0) for action in line.body["actions"])
        if line.body["dice"] != seen:
            yield Finding("E-UNDO", f"{seen} dice were shown, it counts {line.body['dice']}", line.seq, "dice")
        elif seen and line.actor != "referee" and trail.policy.get("undo_dice") == "referee":
            yield Finding("E-UNDO", f"{seen} dice were shown: only the referee may void them", line.seq)


def struck_once(step: Step) -> Findings:
    """Only what counts is struck out, and only what was struck out is restored."""
    struck = step.trail.struck
    for line in step.of("ActionsUndone", "ActionsRestored"):
        counts = line.type == "ActionsRestored"
        off = [action for action in line.body["actions"] if (action in struck) != counts or action >= line.seq]
        if off or line.body["actions"] != sorted(set(line.body["actions"])):
            yield Finding("E-UNDO", f"actions {off} were {'not ' if counts else ''}struck out before", line.seq)


def consent(step: Step) -> Findings:
    """Each side that is said to have agreed has said so itself, to this request, since the last play."""
    asked = step.trail.consent
    agreed = set() if asked is None else set(asked.agreed)
    number = 0 if asked is None else asked.request
    for line in step.batch:
        if line.type == "UndoAgreed":
            if line.actor != f"side:{line.body['side']}" or line.body["request"] != number:
                yield Finding("E-UNDO", f"{line.actor} cannot agree for {line.body['side']} to this", line.seq)
            agreed.add(line.body["side"])
        elif line.type in ("ActionsUndone", "ActionsRestored"):
            said, request = set(line.body["agreed"]), line.body["request"]
            if (request and (request != number or said != agreed)) or (not request and said):
                yield Finding("E-UNDO", f"{sorted(said)} are said to agree, {sorted(agreed)} have", line.seq, "agreed")
