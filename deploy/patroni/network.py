"""The networks of the drill. Law: made here, known by name, and gone in the end; the machine's own has no part in them.

A namespace `hub` holds a bridge, and each node's namespace hangs on it by a pair of interfaces. The drill itself goes
into the hub, so that no address is ever set in the machine's own network.
"""

import contextlib
import ctypes
import fcntl
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Final

HUB: Final = "battlelog-hub"
HUB_ADDRESS: Final = "10.77.0.1"
NODES: Final = {"n1": "10.77.0.11", "n2": "10.77.0.12", "n3": "10.77.0.13"}
_MADE: Final = Path("/run/netns")
_LOCK: Final = Path("/run/lock/battlelog-drill.lock")


def program(name: str) -> str:
    """Where a program is. Raises `SystemExit` in words."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if found is None:
        raise SystemExit(
            f"{name} is missing: install it (Debian: iproute2, util-linux, etcd-server, haproxy, postgresql)"
        )
    return found


def ip(*words: str) -> str:
    """What `ip` says. Raises `CalledProcessError`."""
    done = subprocess.run([program("ip"), *words], check=True, capture_output=True, text=True)
    return done.stdout


def namespace(node: str) -> str:
    """The namespace of a node."""
    return f"battlelog-{node}"


def inside(name: str, user: str) -> list[str]:
    """What is put before a command that is to run in a namespace as somebody without rights, and die with the drill."""
    as_whom = ["--reuid", user, "--regid", user, "--init-groups", "--no-new-privs", "--pdeathsig", "KILL"]
    return [program("ip"), "netns", "exec", name, program("setpriv"), *as_whom]


@contextlib.contextmanager
def networks() -> Iterator[None]:
    """The networks for a while, and this process in their hub. Raises `SystemExit` where another drill has them."""
    with _LOCK.open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit("another drill is under way on this machine: wait for its end") from None
        destroy()  # what a drill that was killed has left
        try:
            build()
            enter(HUB)
            yield
        finally:
            destroy()


def build() -> None:
    """Make the networks."""
    ip("netns", "add", HUB)
    ip("-n", HUB, "link", "set", "lo", "up")
    ip("-n", HUB, "link", "add", "bridge", "type", "bridge")
    ip("-n", HUB, "addr", "add", f"{HUB_ADDRESS}/24", "dev", "bridge")
    ip("-n", HUB, "link", "set", "bridge", "up")
    for node, address in NODES.items():
        name = namespace(node)
        ip("netns", "add", name)
        ip("-n", name, "link", "set", "lo", "up")
        ip("-n", HUB, "link", "add", node, "type", "veth", "peer", "name", "eth0", "netns", name)
        ip("-n", HUB, "link", "set", node, "master", "bridge")
        ip("-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
        ip("-n", name, "link", "set", "eth0", "up")
        join(node)


def cut(node: str) -> None:
    """Pull a node's cable."""
    ip("-n", HUB, "link", "set", node, "down")


def join(node: str) -> None:
    """Plug it in."""
    ip("-n", HUB, "link", "set", node, "up")


def enter(name: str) -> None:
    """Go into a namespace: this thread, and all that it starts from now on."""
    libc = ctypes.CDLL(None, use_errno=True)
    with (_MADE / name).open("rb") as file:
        if libc.setns(file.fileno(), 0x40000000):  # CLONE_NEWNET
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))


def kill_all(name: str) -> None:
    """Kill every process in a namespace but this one, as losing the machine would."""
    for _ in range(50):
        pids = _pids(name)
        if not pids:
            return
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        sleep(0.05)
    raise RuntimeError(f"processes in {name} do not die")


def _pids(name: str) -> list[int]:
    wanted, found = (_MADE / name).stat().st_ino, []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended in the meantime
            if (process / "ns" / "net").stat().st_ino == wanted and process.name != str(os.getpid()):
                found.append(int(process.name))
    return found


def destroy() -> None:
    """Take it all down; what is not there is no fault."""
    for name in (*map(namespace, NODES), HUB):
        if (_MADE / name).exists():
            with contextlib.suppress(subprocess.CalledProcessError):
                kill_all(name)
            with contextlib.suppress(subprocess.CalledProcessError):
                ip("netns", "del", name)
