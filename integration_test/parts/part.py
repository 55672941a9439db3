"""What the scripts beside this file share: how a part announces itself and ends.

A part prints one line of JSON on stdout when it answers requests,

    {"url": "...", "version": {"name": "version", ...}}

runs until its stdin closes (or Ctrl-C, or SIGTERM), and stops everything that it
started. Whoever starts one holds the other end of its stdin, so that the part
ends with its user, however that ends. Everything else goes to stderr.
"""

import contextlib
import json
import os
import pathlib
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from importlib import metadata, util

# Only the line of JSON may reach stdout: whatever a library prints goes to stderr.
_announcement = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

START_SECONDS = 120


def folder() -> pathlib.Path:
    """Return the folder of the parts, which `install` fills."""
    if given := os.environ.get("BOOKEND_PARTS"):
        return pathlib.Path(given)
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(cache) / "bookend" / "parts"


def package(name: str) -> pathlib.Path:
    """Return the folder of an installed Python package, which is not imported."""
    return pathlib.Path(util.find_spec(name).origin).parent


def versions(*packages: str) -> dict:
    """Return the installed versions of Python packages."""
    return {name: metadata.version(name) for name in packages}


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_until(answers, what: str) -> None:
    """Ask `answers` until it returns true; give up at the deadline."""
    deadline = time.monotonic() + START_SECONDS
    while not answers():
        if time.monotonic() > deadline:
            raise SystemExit(f"{what} did not answer within {START_SECONDS} s")
        time.sleep(0.05)


def http_ok(url: str, body: dict | None = None) -> bool:
    """Tell whether a GET, or a POST of a body, is answered with status 200."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    # Never through a proxy that the environment names: the part is on this machine.
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(request, timeout=START_SECONDS) as response:
            return response.status == 200
    except (urllib.error.URLError, OSError):
        return False


def announce(url: str, version: dict) -> None:
    """Print the line that says where the part answers."""
    print(json.dumps({"url": url, "version": version}), file=_announcement, flush=True)


def wait_for_end() -> None:
    """Return when stdin is closed or the part is told to end.

    From then on signals are ignored: what was started is being stopped.
    """
    with contextlib.suppress(KeyboardInterrupt):
        while os.read(0, 4096):
            pass
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _interrupt(*_):
    raise KeyboardInterrupt


for _signal in (signal.SIGINT, signal.SIGTERM):
    signal.signal(_signal, _interrupt)
