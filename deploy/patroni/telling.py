"""The figures of a drill. Law: counted from what was seen, and told whether they please or not."""

import os
from collections import Counter
from typing import Any

from deploy.checking import delays, outage
from deploy.load import Load
from deploy.patroni.events import Event


def figures(load: Load, events: list[Event], entries: int, wrong: list[str]) -> dict[str, Any]:
    """All of them."""
    promises = load.promises
    median, late = delays(promises, load.followers)
    seconds = promises[-1].answered - promises[0].answered if promises else 0
    return {
        "held": not wrong,
        "wrong": wrong[:100],
        "acknowledged": len(promises),
        "seconds": round(seconds, 1),
        "entries": entries,
        "refused_by_the_rules": load.refused,
        "sent_again": dict(Counter(failure.why for failure in load.failures)),
        "followers": len(load.followers),
        "followers_came_again": {
            "after_a_broken_line": sum(len(follower.broke) for follower in load.followers),
            "after_they_hung_up": sum(follower.hung_up for follower in load.followers),
        },
        "seconds_to_followers": {"median": round(median, 4), "p99": round(late, 3)},
        "load_average": [round(number, 1) for number in os.getloadavg()],
        "events": [_event(load, event) for event in events],
    }


def _event(load: Load, event: Event) -> dict[str, Any]:
    cut = {name: event.cut_side[name] for name in ("before", "cut", "under_way", "after") if event.cut_side}
    return {
        "what": event.what,
        "node": event.node,
        "leads_afterwards": event.leads,
        "outage": round(outage(load.promises, event.at - 1, event.over), 1),
        "another_leads_after": round(event.led_after, 1),
        "lost_node_follows_after": round(event.healed_after, 1),
        "sent_again": dict(Counter(f.why for f in load.failures if event.at <= f.at <= event.over)),
        "followers_came_again": sum(
            event.at <= at <= event.over for follower in load.followers for at, _ in follower.broke
        ),
        **({"acknowledged_on_the_cut_side": cut} if cut else {}),
    }


def table(found: dict[str, Any]) -> str:
    """The same for people."""
    lines = [f"{'what':34} {'node':5} {'outage':>8} {'new leader':>11} {'heals in':>9}  sent again"]
    for event in found["events"]:
        lines.append(
            f"{event['what']:34} {event['node']:5} {event['outage']:6.1f} s {event['another_leads_after']:9.1f} s "
            f"{event['lost_node_follows_after']:7.1f} s  {_counted(event['sent_again'])}"
        )
        if cut := event.get("acknowledged_on_the_cut_side"):
            lines.append(f"  acknowledged on the cut side: {_counted(cut)}")
    delay = found["seconds_to_followers"]
    lines += [
        f"{found['acknowledged']} actions acknowledged in {found['seconds']} s, {found['entries']} entries",
        f"{found['refused_by_the_rules']} refused by the rules; sent again: {_counted(found['sent_again'])}",
        f"{found['followers']} followers, came again {_counted(found['followers_came_again'])}",
        f"from the answer to the frame {delay['median'] * 1000:.0f} ms (median), {delay['p99']} s (99 %)",
    ]
    if found["held"]:
        lines.append("it held: each acknowledged action is there once, and followers saw each entry once and in order")
    else:
        lines += [f"IT DID NOT HOLD ({len(found['wrong'])}):", *found["wrong"]]
    return "\n".join(lines)


def _counted(words: dict[str, int]) -> str:
    return ", ".join(f"{number} {word.replace('_', ' ')}" for word, number in words.items()) or "nothing"
