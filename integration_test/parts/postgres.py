"""PostgreSQL with pgvector, in a throw-away folder, on a free port of 127.0.0.1.

By hand, with `install` done:

    ~/.cache/bookend/parts/venv/bin/python integration_test/parts/postgres.py

It prints the DSN and the versions of PostgreSQL and pgvector as a line of JSON,
and runs until Ctrl-D. Its database has the extension `vector`. Nothing outlives
it: the folder is deleted, and the server dies with this script even if that is
killed. As root it runs as the user nobody, since PostgreSQL refuses root.
"""

import ctypes
import os
import pathlib
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile

import part

USER = "postgres"


def unprivileged() -> dict:
    """Return the arguments of subprocess.run for a user that PostgreSQL accepts."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def runs(command: pathlib.Path, user: dict) -> bool:
    try:
        return subprocess.run([command, "--version"], capture_output=True, cwd="/", **user).returncode == 0
    except PermissionError:
        return False


def installation(scratch: pathlib.Path, user: dict) -> pathlib.Path:
    """Return PostgreSQL's folder `bin`: that of the package, or a copy of it.

    A copy is needed where the user may not look into the folder of the package,
    which is the rule for nobody and root's home.
    """
    package = part.package("pgserver")
    if not runs(package / "pginstall/bin/postgres", user):
        copy = scratch / "install/pgserver"
        shutil.copytree(package / "pginstall", copy / "pginstall", symlinks=True)
        libraries = package.with_name("pgserver.libs")
        if libraries.exists():  # beside the package, where its programs look for them
            shutil.copytree(libraries, copy.with_name("pgserver.libs"))
        package = copy
    return package / "pginstall/bin"


def end_with_parent() -> None:
    """Make the kernel end this process when the script dies (Linux alone)."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGQUIT)


def main() -> None:
    user = unprivileged()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="bookend-postgres-"))
    server = None
    try:
        if user:
            os.chown(scratch, user["user"], user["group"])
        programs = installation(scratch, user)
        data, password = scratch / "data", secrets.token_hex(16)
        password_file = scratch / "password"
        password_file.write_text(password)
        if user:
            os.chown(password_file, user["user"], user["group"])
        password_file.chmod(0o600)
        subprocess.run(
            [programs / "initdb", "-D", data, "-U", USER, "--encoding=UTF8", "--locale=C",
             "--auth=scram-sha-256", f"--pwfile={password_file}", "--no-sync"],
            check=True, cwd=scratch, stdin=subprocess.DEVNULL, stdout=sys.stderr, **user,
        )
        port = part.free_port()
        server = subprocess.Popen(
            [programs / "postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port),
             "-c", "unix_socket_directories=", "-c", "fsync=off"],
            cwd=scratch, stdin=subprocess.DEVNULL, stdout=sys.stderr, preexec_fn=end_with_parent,
            # Ctrl-C is for this script, which then stops the server.
            start_new_session=True, **user,
        )

        def ask(sql: str) -> str | None:
            answer = subprocess.run(
                [programs / "psql", "-h", "127.0.0.1", "-p", str(port), "-U", USER, "-d", USER, "-XqtA", "-c", sql],
                env={**os.environ, "PGPASSWORD": password}, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=scratch, **user,
            )
            return answer.stdout.strip() if answer.returncode == 0 else None

        def answers() -> bool:
            if server.poll() is not None:
                raise SystemExit(f"PostgreSQL ended with status {server.returncode}; its log is above")
            return ask("SELECT 1") == "1"

        part.wait_until(answers, "PostgreSQL")
        ask("CREATE EXTENSION vector")
        version = {
            "postgresql": ask("SHOW server_version"),
            "pgvector": ask("SELECT extversion FROM pg_extension WHERE extname = 'vector'"),
            **part.versions("pgserver"),
        }
        part.announce(f"postgres://{USER}:{password}@127.0.0.1:{port}/{USER}?sslmode=disable", version)
        part.wait_for_end()
    finally:
        if server is not None and server.poll() is None:
            server.send_signal(signal.SIGINT)  # fast shutdown: clients are disconnected
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
