"""After a restore. Law: what was thrown after the copy was made is never thrown again."""

from api.terminal.printing import out, show_json, words
from api.terminal.sources import store_of
from projections.wording import counted


def forget_seeds(data: str, *, as_json: bool) -> None:
    """Throw the seeds of all battles away; those that are still played need new ones (DICE-07)."""
    with store_of(data, writes=True) as store:
        battles = store.forget_secrets()
        summaries = [store.summary(battle) for battle in battles]
    waiting = [row.battle for row in summaries if row is not None and row.status != "closed"]
    if as_json:
        show_json({"forgotten": battles, "waiting": waiting})
        return
    said = f"The seeds of {counted(len(battles), 'battle')} are gone; {len(waiting)} of them still played."
    out().print(words(said))
    for battle in waiting:
        out().print(words(f"  {battle}  the referee: POST /v1/battles/{battle}/dice/renew"), soft_wrap=True)
