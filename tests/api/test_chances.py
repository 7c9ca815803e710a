"""Odds and forecasts over HTTP: whoever may read may ask; nothing is thrown, and nothing is written."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from time import process_time
from typing import Any

import httpx2
import jsonschema_rs
import pytest
from starlette.testclient import TestClient

from api.routes import chances
from api.routes.chances import FORECASTS, ODDS
from tests.api.live_server import served
from tests.api.table import Table, invalid, open_table, opening, problem

SHOT: dict[str, Any] = {"do": "shoot", "fig": "sarge", "weapon": "stub-gun", "target": "ganger", "mode": "aimed"}
PISTOL: dict[str, Any] = {"do": "shoot", "fig": "roland", "weapon": "pistol", "target": "anne"}


def odds(table: Table, body: dict[str, Any], seat: str = "", query: str = "") -> dict[str, Any]:
    answer = table.post(f"/odds{query}", body, seat)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = json.loads(answer.text, parse_float=Decimal)
    return told


# --- odds -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cover", ["open", "cover"])
def test_fractions_and_decimals_sum_to_exactly_one(nme: Table, cover: str) -> None:
    told = odds(nme, SHOT | {"cover": cover})
    for shares in (told["rolls"], told["outcomes"], *told["figs"].values()):
        assert sum(Fraction(share["chance"]) for share in shares) == 1
        assert sum(Decimal(share["decimal"]) for share in shares) == 1
        for share in shares:
            assert abs(Fraction(share["decimal"]) - Fraction(share["chance"])) < Fraction(1, 10**12)
        assert [share["decimal"] for share in shares] == sorted((s["decimal"] for s in shares), reverse=True)


def test_a_shot_is_told_in_words_with_its_rules(nme: Table) -> None:
    told = odds(nme, SHOT)
    assert (told["battle"], told["seq"], told["do"]) == (nme.id, nme.head, "shoot")
    assert told["action"] == 'Sarge shoots at Ganger with the stub gun (aimed), 7" away.'
    rolls = {roll["outcome"]: roll["chance"] for roll in told["rolls"]}
    assert rolls == {
        "jam": "1/12",
        "near miss": str(Fraction(11, 12) * Fraction(160, 729)),
        "miss": str(Fraction(11, 12) * Fraction(64, 729)),
        "hit": str(Fraction(11, 12) * (Fraction(505, 729) - Fraction(7703, 23328))),
        "critical": str(Fraction(11, 12) * Fraction(7703, 23328)),
    }, "the vectors of the rules page, and a stub gun jams once in twelve"
    outcomes = {one["outcome"]: one for one in told["outcomes"]}
    iced = outcomes["critical; ganger: iced, out"]
    assert iced["sentence"] == (
        "The shot hits critically, at double strength. Ganger is iced and is out of the battle."
    )
    assert (iced["rules"], iced["figs"]) == (["INJURY-01", "NME-28"], {"ganger": "out"})
    assert outcomes["near miss; ganger: pinned"]["rules"] == ["NME-21"]
    assert outcomes["jam"]["rules"] == ["NME-12", "NME-13"]
    assert {fate["status"] for fate in told["figs"]["ganger"]} == {"active", "pinned", "down", "out"}
    assert (told["dice"]["purpose"], told["dice"]["count"], told["dice"]["sides"]) == ("ammo", 2, 6)
    assert Fraction(told["dice"]["expected"]) > 2 + Fraction(11, 12) * Fraction(36, 5)


def test_what_needs_no_die_is_certain(nme: Table) -> None:
    told = odds(nme, {"do": "end_turn"})
    (only,) = told["outcomes"]
    assert (only["outcome"], only["chance"], only["decimal"]) == ("certain", "1", 1)
    assert told["dice"] == {"expected": "0", "decimal": 0, "purpose": None, "count": None, "sides": None}


def test_whoever_may_read_may_ask_for_the_side_in_turn(mfd: Table) -> None:
    answers = [odds(mfd, PISTOL, seat) for seat in ("", "side:pirates", "side:knights", "referee")]
    assert all(answer == answers[0] for answer in answers)
    assert {one["outcome"]: one["chance"] for one in answers[0]["outcomes"]} == {
        "hit; anne: unharmed": "5/9",
        "miss": "1/3",
        "hit; anne: out": "1/9",
    }


def test_a_private_battle_tells_its_own_people_only(client: TestClient) -> None:
    table = open_table(client, "nme", policy={"private": True})
    for path, body in (("/odds", SHOT), ("/forecast", {"games": 1})):
        problem(table.post(path, body, ""), "unauthorized", 401)
        assert table.post(path, body, "spectator").status_code == 200


@pytest.mark.parametrize(
    ("change", "seat"),
    [
        ({"target": "sarge"}, "side:red"),
        ({"target": "nobody"}, "referee"),
        ({"weapon": "spoon"}, "side:red"),
        ({"cover": "unseen"}, "side:red"),
        ({"modifiers": [{"value": 1, "reason": "luck"}]}, "side:red"),
        ({"fig": "ganger", "weapon": "bolt-gun", "target": "sarge"}, "side:blue"),
        ({"fig": "nobody"}, "referee"),
        ({"mode": "sideways"}, "referee"),
    ],
)
def test_what_is_refused_is_refused_in_the_same_words(nme: Table, change: dict[str, Any], seat: str) -> None:
    acted, asked = nme.post("/actions", SHOT | change, seat), nme.post("/odds", SHOT | change, seat)
    assert acted.status_code >= 400
    assert (asked.status_code, asked.json()) == (acted.status_code, acted.json())
    if seat == "side:red":
        assert nme.post("/odds", SHOT | change, "").json() == acted.json(), "a spectator is told the same"


def test_dice_that_have_fallen_have_no_odds(nme: Table) -> None:
    invalid(nme.post("/odds", SHOT | {"dice": [1, 2]}), "/dice")


def test_an_earlier_table_can_be_asked(nme: Table) -> None:
    nme.done("move", fig="sarge", to={"x": 13.5, "y": 10})
    assert odds(nme, SHOT | {"mode": "snap"})["action"].endswith('3.5" away.')
    assert odds(nme, SHOT, query="?at=6")["seq"] == 6
    problem(nme.post("/odds?at=999", SHOT), "not-found", 404)
    for path in ("/odds", "/forecast"):
        body = invalid(nme.post(f"{path}?at=3", SHOT if path == "/odds" else {}), "at")
        assert body["errors"][0]["legal"] == ["6"]
        invalid(nme.post(f"{path}?at=8", SHOT if path == "/odds" else {}), "at")


def test_a_table_that_waits_or_is_closed_has_no_odds(client: TestClient) -> None:
    table = open_table(client, "nme", policy={"table_dice": "confirmed"})
    shot = {**SHOT, "dice": [1, 1]}
    assert table.act(shot.pop("do"), "side:red", **shot).status_code == 201
    assert problem(table.post("/odds", SHOT, "side:red"), "rule-refused", 409)["rule"] == "DICE-01"
    closed = open_table(client, "nme")
    closed.done("end_battle")
    assert closed.post("/close", {"reason": "late"}).status_code == 201
    problem(closed.post("/odds", SHOT), "battle-over", 409)
    problem(closed.post("/forecast", {}), "battle-over", 409)


@pytest.mark.parametrize("path", ["/odds", "/forecast"])
def test_nothing_is_written_and_no_link_is_used_up(mfd: Table, path: str) -> None:
    log, view = mfd.log(), mfd.get().json()
    for _ in range(3):
        answer = mfd.post(path, PISTOL if path == "/odds" else {"games": 5, "turns": 3})
        assert answer.status_code == 200, answer.text
        assert answer.headers["etag"] == f'"{mfd.head}"'
        assert answer.headers["cache-control"] == "no-store"
    assert (mfd.log(), mfd.get().json()) == (log, view)
    drawn = [
        entry
        for entry in mfd.done("shoot", **{k: v for k, v in PISTOL.items() if k != "do"})["entries"]
        if entry["type"] == "DiceDrawn"
    ]
    assert [entry["body"]["index"] for entry in drawn] == [1]


def test_examples_work_and_answers_are_as_they_are_told(client: TestClient) -> None:
    text = client.get("/openapi.json").json()
    for path, examples in (("odds", ODDS), ("forecast", FORECASTS)):
        told = text["paths"][f"/v1/battles/{{battle}}/{path}"]["post"]
        shown = told["requestBody"]["content"]["application/json"]
        assert shown["examples"] == json.loads(json.dumps(examples))
        for name, example in examples.items():
            table = open_table(client, "mfd" if name.startswith("mfd") else "nme")
            answer = table.post(f"/{path}", example["value"])
            assert answer.status_code == (409 if name in {"nme_recover", "mfd_fight"} else 200), (name, answer.text)
            kind = "application/json" if answer.status_code == 200 else "application/problem+json"
            schema = told["responses"][str(answer.status_code)]["content"][kind]["schema"]
            jsonschema_rs.validate({**schema, "components": text["components"]}, answer.json())


def bomb() -> tuple[dict[str, Any], dict[str, Any]]:
    """A blast on 39 melees of five: ten kilobytes, and thousands of paths for each of them."""
    figs: list[dict[str, Any]] = [
        {"id": f"m{n}-{k}", "side": "ab"[k > 0], "x": 5 + 10 * (n % 8) + dx, "y": 5 + 10 * (n // 8) + dy, "bs": 1}
        for n in range(39)
        for k, (dx, dy) in enumerate(((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)))
    ]
    blast = {"id": "bomb", "er": 100, "strength": 4, "ammo_rating": 2, "template": "blast"}
    gun = {"id": "gun", "side": "c", "x": 95, "y": 95, "facing": 225, "bs": 10, "weapons": [blast]}
    sides = [{"id": side} for side in "cab"]
    table = {"width": 100, "height": 100}
    new = opening("nme", figs=[*figs, gun], sides=sides, table=table, terrain=[])
    asked = {"do": "shoot", "fig": "gun", "weapon": "bomb", "target": "m38-0", "mode": "aimed"}
    sight = {fig["id"]: "cover" for fig in figs}
    return new, asked | {"sight": sight, "touched": [{"fig": fig["id"], "under": True} for fig in figs]}


def test_what_hangs_together_too_much_or_takes_too_long_is_422_and_a_forecast_is_named(
    client: TestClient, nme: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, asked = bomb()
    url = f"/v1/battles/{client.post('/v1/battles', json=new).json()['id']}/odds"
    began = process_time()
    answer = client.post(url, json=asked)
    assert process_time() - began < 2 * chances.ODDS_SECONDS
    told = problem(answer, "invalid", 422)
    assert told["errors"][0]["message"].startswith("too much hangs together")
    assert told["errors"][0]["legal"] == ["ask for a forecast instead"]
    monkeypatch.setattr(chances, "ODDS_SECONDS", 60)  # whatever else is measured meanwhile
    assert client.post(url, json=asked | {"touched": asked["touched"][:5]}).status_code == 200
    monkeypatch.setattr(chances, "ODDS_SECONDS", 0)
    problem(nme.post("/odds", SHOT), "invalid", 422)


def test_two_odds_at_a_time_and_the_others_wait_or_come_again(tmp_path: Path) -> None:
    new, asked = bomb()
    with served(tmp_path / "battles.db") as server, ThreadPoolExecutor(24) as many:
        url = f"{server.url}/v1/battles/{httpx2.post(f'{server.url}/v1/battles', json=new).json()['id']}"
        bombs = [many.submit(httpx2.post, f"{url}/odds", json=asked, timeout=60) for _ in range(24)]
        seen = 0
        while not all(bomb.done() for bomb in bombs):
            assert httpx2.get(url, timeout=10).status_code == 200
            seen += 1
        answers = [bomb.result() for bomb in bombs]
        assert {answer.status_code for answer in answers} == {422, 503}
        assert all(int(answer.headers["retry-after"]) >= 1 for answer in answers if answer.status_code == 503)
        assert seen > 1
        asked |= {"touched": asked["touched"][:1]}
        assert httpx2.post(f"{url}/odds", json=asked, timeout=10).status_code == 200


# --- forecasts --------------------------------------------------------------------------------------------------------


def test_a_forecast_is_repeated_by_its_seed(mfd: Table) -> None:
    first = mfd.post("/forecast", {"games": 30, "turns": 12}).json()
    assert first["games"] == first["asked"] == 30
    again = mfd.post("/forecast", {"games": 30, "turns": 12, "seed": first["seed"]}).json()
    assert again == first
    other = mfd.post("/forecast", {"games": 30, "turns": 12}).json()
    assert other["seed"] != first["seed"]
    wins = first["sides"]["knights"]["wins"]
    assert 0 <= wins["low"] <= wins["share"] <= wins["high"] <= 1
    assert sum(side["wins"]["games"] for side in first["sides"].values()) + first["undecided"]["games"] == 30
    assert (first["seq"], first["rules"], first["tactics"]) == (mfd.head, "mfd.1", "nearest-1")


def test_a_forecast_from_an_earlier_entry_is_that_of_the_table_then(nme: Table) -> None:
    asked = {"games": 5, "turns": 4, "seed": "x"}
    then = nme.post("/forecast", asked).json()
    nme.done("move", fig="sarge", to={"x": 12, "y": 10})
    assert nme.post("/forecast?at=6", asked).json() == then
    assert nme.post("/forecast", asked).json()["seq"] > 6


def test_what_ifs_that_wait_for_the_end_are_no_forecasts_either(client: TestClient) -> None:
    table = open_table(client, "nme", policy={"what_if": "after"})
    for seat in ("", "side:red", "side:blue"):
        problem(table.post("/forecast", {"games": 1}, seat), "forbidden", 403)
        assert table.post("/odds", SHOT, seat).status_code == 200
    assert table.post("/forecast", {"games": 1}, "referee").status_code == 200


def test_a_forecast_is_bounded(nme: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    invalid(nme.post("/forecast", {"games": 1000, "turns": 6}), "/games")
    invalid(nme.post("/forecast", {"games": 0, "turns": 201, "seed": "Not This"}), "/games", "/turns", "/seed")
    monkeypatch.setattr(chances, "MOST_SECONDS", 0)
    invalid(nme.post("/forecast", {}), "/turns")


def test_time_that_runs_out_leaves_the_games_that_were_played(nme: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chances, "MOST_SECONDS", 0.2)
    asked = {"games": 1000, "turns": 5, "seed": "x"}
    told = nme.post("/forecast", asked).json()
    assert told["asked"] == 1000
    assert 0 < told["games"] < 1000
    monkeypatch.setattr(chances, "MOST_SECONDS", 60)
    again = nme.post("/forecast", asked | {"games": told["games"]}).json()
    assert again == told | {"asked": told["games"]}


@pytest.mark.slow
def test_the_server_goes_on_while_one_forecast_is_played_and_a_second_waits(tmp_path: Path) -> None:
    with served(tmp_path / "battles.db") as server:
        figs = [
            {"id": f"{side}-{n}", "side": side, "x": 2 + 2 * n, "y": y, "bs": 3, "weapons": ["autogun"]}
            for side, y in (("red", 4), ("blue", 40))
            for n in range(20)
        ]
        battle = httpx2.post(f"{server.url}/v1/battles", json=opening("nme", figs=figs, terrain=[])).json()["id"]
        url = f"{server.url}/v1/battles/{battle}/forecast"
        answers: list[httpx2.Response] = []

        def play() -> None:
            # Whoever comes second is told to come again.
            while not answers or answers[-1].status_code == 503:
                answers.append(httpx2.post(url, json={"games": 250, "turns": 20, "seed": "x"}, timeout=60))

        player = threading.Thread(target=play)
        player.start()
        seen = refused = 0
        while player.is_alive():
            assert httpx2.get(f"{server.url}/healthz", timeout=30).status_code == 200
            seen += player.is_alive()
            refused += httpx2.post(url, json={"games": 1, "turns": 1}, timeout=60).status_code == 503
        player.join()
        assert answers[-1].status_code == 200
        assert seen > 1
        assert refused > 0
