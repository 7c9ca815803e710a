"""Open files: a service has as many as it may have, whatever limit it was started with."""

import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_low_limit_is_raised_as_far_as_it_may_go() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = min(hard, 4096) if hard != resource.RLIM_INFINITY else 4096
    program = f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (100, {allowed}))
from api.files import many_files
many_files()
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""
    told = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.split() == [str(allowed), str(allowed)]
