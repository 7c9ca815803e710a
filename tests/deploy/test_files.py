"""What is shipped to run the service: it parses, names only what there is, and its numbers fit together."""

import re
import shutil
import subprocess
from pathlib import Path
from string import Template
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from api.settings import PREFIX, Settings
from deploy.rolling import DRAIN

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
HAPROXY = shutil.which("haproxy", path="/usr/sbin:/usr/bin:/usr/local/sbin")
LOCKED = re.compile(r"^(\S+)==.*?(?=^\S|\Z)", re.DOTALL | re.MULTILINE)


def text(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(text("compose.yaml"))
    return found


@pytest.fixture(scope="module")
def unit() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", text("battlelog.service"), re.MULTILINE):
        found.setdefault(name, []).append(value)
    return found


def seconds_until_the_door_notices() -> float:
    inter, fall = re.findall(r"default-server inter (\d+)s fall (\d+)", text("haproxy.cfg"))[0]
    return float(inter) * float(fall)


def named_settings() -> list[tuple[str, str]]:
    pages = [ROOT / "docs" / "deployment.md", ROOT / "docs" / "failover.md"]
    files = [path for path in DEPLOY.rglob("*") if path.is_file() and path.suffix not in (".pyc", ".lock")]
    return [
        (str(path.relative_to(ROOT)), name)
        for path in files + pages
        for name in re.findall(r"\bBATTLELOG_([A-Z_]+[A-Z])\b", path.read_text(encoding="utf-8"))
    ]


def test_every_setting_that_is_named_is_one() -> None:
    known = {name.upper() for name in Settings.model_fields}
    found = named_settings()
    assert {"DRAIN", "GRACE", "KEYS", "HOST_NAME"} <= {name for _, name in found}
    assert [where for where in found if where[1] not in known] == []


def test_the_lock_for_postgres_is_that_of_the_tests() -> None:
    tested = {m[1]: m[0].strip() for m in LOCKED.finditer((ROOT / "requirements-dev.lock").read_text(encoding="utf-8"))}
    shipped = {m[1]: m[0].strip() for m in LOCKED.finditer(text("requirements-postgres.lock"))}
    assert set(shipped) == {"psycopg", "psycopg-binary", "psycopg-pool"}
    assert shipped == {name: tested[name] for name in shipped}


# --- the image ---


def test_all_that_the_image_copies_is_there_and_is_sent_along() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", text("Dockerfile"), re.MULTILINE)
    names = [name for line in copied for name in line.split()]
    sent = [line[1:] for line in text("Dockerfile.dockerignore").splitlines() if line.startswith("!")]
    assert sorted(names) == sorted(sent)
    assert [name for name in names if not (ROOT / name).exists()] == []
    packages = re.findall(r"^packages = \[(.*)\]$", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r'"(\w+)"', packages[0])) <= set(names)


def test_the_image_has_settings_that_hold_and_runs_as_somebody_without_rights() -> None:
    page = text("Dockerfile")
    told = dict(re.findall(rf"({PREFIX}\w+)=(\S+)", page))
    assert Settings.read(told).host == "0.0.0.0"  # noqa: S104 - inside its container
    last = re.findall(r"^USER (\S+)$", page, re.MULTILINE)
    assert last == ["battlelog"]
    assert "/readyz" in page.partition("HEALTHCHECK")[2]


# --- compose ---


def test_two_services_share_a_database_and_their_keys(compose: dict[str, Any]) -> None:
    services = [compose["services"][name] for name in ("api-1", "api-2")]
    assert services[0] == services[1]
    told = {name: value for name, value in services[0]["environment"].items() if name.startswith(PREFIX)}
    told[f"{PREFIX}HOST_NAME"] = "battles.example"
    settings = Settings.read(told)
    assert settings.database.startswith("postgresql://battlelog@database/")
    assert services[0]["volumes"] == [f"keys:{settings.keys}"]
    assert "keys" in compose["volumes"]
    grace = float(services[0]["stop_grace_period"].removesuffix("s"))
    assert grace > settings.drain + settings.grace
    assert settings.drain > seconds_until_the_door_notices()
    assert "/readyz" in services[0]["healthcheck"]["test"][-1]


def test_compose_holds_no_secret_and_gives_no_rights(compose: dict[str, Any]) -> None:
    page = text("compose.yaml")
    for name in ("PGPASSWORD", "POSTGRES_PASSWORD", "BATTLELOG_HOST_NAME"):
        for value in re.findall(rf"^\s+{name}: (.*)$", page, re.MULTILINE):
            assert re.fullmatch(r"\$\{[A-Z_]+:\?[^}]+\}", value), value
    for name, service in compose["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name
    assert compose["networks"]["inside"]["internal"] is True


def test_the_door_of_compose_has_the_settings_that_are_shipped(compose: dict[str, Any]) -> None:
    door = compose["services"]["door"]
    assert (DEPLOY / door["volumes"][0].split(":")[0]).is_file()
    assert set(re.findall(r"\$\{(\w+)\}", text("haproxy.cfg"))) == set(door["environment"])
    for name, address in door["environment"].items():
        if name != "BIND":
            assert address.split(":")[0] in compose["services"]


# --- systemd ---


def test_the_unit_waits_longer_than_the_service_takes_to_stop(unit: dict[str, list[str]]) -> None:
    settings = Settings.read(dict(line.split("=", 1) for line in unit["Environment"] if line.startswith(PREFIX)))
    assert float(unit["TimeoutStopSec"][0]) > settings.drain + settings.grace
    folder = f"/var/lib/{unit['StateDirectory'][0]}"
    assert settings.database.startswith(f"{folder}/")
    assert settings.keys.startswith(f"{folder}/")


def test_the_unit_is_hardened(unit: dict[str, list[str]]) -> None:
    for name, value in {
        "DynamicUser": "yes",
        "NoNewPrivileges": "yes",
        "ProtectSystem": "strict",
        "KillSignal": "SIGTERM",
        "Restart": "on-failure",
        "CapabilityBoundingSet": "",
    }.items():
        assert unit[name] == [value], name


# --- the proxies, and Patroni ---


@pytest.mark.skipif(HAPROXY is None, reason="haproxy is not installed here")
@pytest.mark.parametrize("name", ["haproxy.cfg", "patroni/haproxy.cfg"])
def test_haproxy_takes_its_settings(name: str) -> None:
    told = dict.fromkeys(("N1", "N2", "N3"), "127.0.0.1")
    told |= dict.fromkeys(("BIND", "API_1", "API_2", "LEADER"), "127.0.0.1:9")
    command = [str(HAPROXY), "-c", "-f", str(DEPLOY / name)]
    done = subprocess.run(command, env=told, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_door_notices_before_a_drain_is_over() -> None:
    assert seconds_until_the_door_notices() < DRAIN


def test_patroni_acknowledges_only_what_two_machines_have() -> None:
    names = set(re.findall(r"(?<!\$)\$\{(\w+)\}", text("patroni/patroni.yaml")))
    found = yaml.safe_load(Template(text("patroni/patroni.yaml")).substitute(dict.fromkeys(names, "x")))
    dcs = found["bootstrap"]["dcs"]
    assert dcs["synchronous_mode"] is True
    assert dcs["synchronous_mode_strict"] is True
    assert dcs["ttl"] >= dcs["loop_wait"] + 2 * dcs["retry_timeout"]
    assert "fsync" not in str(found)
    assert "synchronous_commit" not in str(found)
