"""Hostile programs, run by themselves and under ``jaxlint confirm``: nothing may differ."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tools.hunts.outcome import REPOSITORY, Caught, Hunt, Round

_LIMIT = 1200.0
"""Seconds of the clock after which the machine is too busy to tell anything."""

_SECONDS = 60
"""Of processor time, for each process of a command."""

_HEAD = """\
import atexit, gc, os, signal, sys, threading
{first}
import jax
import jax.numpy as jnp


@jax.jit
def f(x):
    print("tracing")
    return x + 1


def work(n):
    for i in range(n):
        f(jnp.ones(i % 3 + 1))


work(3)
"""

_ACTS = [
    "t = threading.Thread(target=work, args=(2,)); t.start(); t.join()",
    "sys.settrace(lambda *a: None); work(2); sys.settrace(None)",
    "sys.setprofile(lambda *a: None); work(2); sys.setprofile(None)",
    "sys.setrecursionlimit(300)\ndef deep(n): return deep(n + 1)\n"
    "try:\n    deep(0)\nexcept RecursionError:\n    print('deep')",
    "os.closerange(3, 64)", "os.closerange(3, 4096)", "os.environ.clear()", "gc.freeze()",
    "os.chdir('/')", "sys.path.clear()", "sys.meta_path.clear()", "sys.modules.clear()",
    "pid = os.fork()\nif pid == 0:\n    os._exit(4)\nprint(os.waitpid(pid, 0)[1])",
    "pid = os.fork()\nif pid == 0:\n    work(2)\n    os.kill(os.getpid(), 9)\n"
    "print(os.waitpid(pid, 0)[1])",
    "import subprocess\nprint(subprocess.run([sys.executable, '-c', 'exit(3)']).returncode)",
    "import subprocess\nprint(subprocess.run([sys.executable, '-Ic', 'import os']).returncode)",
    "atexit.register(print, 'end')", "atexit._clear()", "exec('f(jnp.ones(4))')",
    "signal.signal(signal.SIGUSR1, lambda *a: print('usr1'))\nos.kill(os.getpid(), signal.SIGUSR1)",
    "signal.alarm(30)", "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))",
    "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))",
    "import warnings\nwarnings.simplefilter('error')", "import faulthandler\nfaulthandler.enable()",
    "f.__wrapped__.__code__ = (lambda x: x).__code__\nf(jnp.ones(9))", "del print",
    "class H:\n    def __getattribute__(self, n): raise SystemExit(9)\nf.h = H() if 0 else 1",
    "try:\n    jax.jit(lambda x: 1 if x > 0 else 2)(1.0)\nexcept Exception as e:\n"
    "    print(type(e).__name__)",
    "import builtins\nbuiltins.open = None", "json = None; sys.modules['json'] = None",
    "sys.stdout.write('\\ud800'.encode('utf-8', 'replace').decode() + '\\n')",
    "open(os.path.join(os.environ.get('JAXLINT_CONFIRM_RUN', '.'), 'x.jsonl'), 'w').write('5\\n{')",
    "import shutil\nshutil.rmtree(os.environ.get('JAXLINT_CONFIRM_RUN', 'no-such'), True)",
    "sys.stderr = None", "sys.stdout.flush(); os.close(0)", "threading.settrace(None)",
    "for n in range(6 * hasattr(sys, 'monitoring')):\n    if not sys.monitoring.get_tool(n):\n"
    "        sys.monitoring.use_tool_id(n, 'x')",
    "jax.clear_caches(); work(2)", "jax.config.update('jax_enable_x64', True); work(2)",
    "with jax.disable_jit():\n    work(1)", "jax.monitoring.clear_event_listeners()",
    "os.putenv('PYTHONPATH', ''); os.system(sys.executable + ' -c \"print(5)\"')",
    "def gen():\n    yield f(jnp.ones(5))\nnext(gen())",
    "import asyncio\nasync def main():\n    work(2)\nasyncio.run(main())",
]  # fmt: skip

_ENDS = [
    "", "", "sys.exit(3)", "sys.exit('words')", "raise KeyError('x')", "os._exit(5)", "os.abort()",
    "os.kill(os.getpid(), signal.SIGTERM)", "os.kill(os.getpid(), signal.SIGKILL)", "1 / 0",
    "os.kill(os.getpid(), signal.SIGRTMIN + 3)", "signal.raise_signal(signal.SIGINT)", "exit()",
    "sys.stdout.flush()\nos.execv(sys.executable, [sys.executable, '-c', 'print(7); exit(6)'])",
    "raise SystemExit(259)", "threading.Thread(target=work, args=(3,)).start()",
    "import ctypes\nctypes.string_at(0)", "os.killpg(0, signal.SIGWINCH)", "quit(-1)",
]  # fmt: skip
_FIRST = ["", "", "", "import json", "sys.settrace(lambda *a: None)", "os.close(0)"]
_STREAMS = ["", "", "", "", "<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full"]


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    ran: str


def observed(hunt: Hunt) -> Iterator[Round]:
    """Programs, one after another."""
    while True:
        yield Round(1, list(_run_one(hunt)))


def _run_one(hunt: Hunt) -> Iterator[Caught]:
    chance = hunt.chance
    acts = chance.sample(_ACTS, chance.randrange(1, 4))
    text = _HEAD.replace("{first}", chance.choice(_FIRST))
    text += "".join(f"{act}\n" for act in acts) + "print('acted')\n" + chance.choice(_ENDS) + "\n"
    (hunt.folder / "program.py").write_text(text, "utf-8")
    redirection = chance.choice(_STREAMS)
    python = hunt.arguments.python
    try:
        alone = _run(hunt.folder, f"{python} program.py", redirection)
        command = f"{python} -m jaxlint confirm program.py --json report.json -- {python}"
        report = hunt.folder / "report.json"
        report.unlink(missing_ok=True)
        watched = _run(hunt.folder, f"{command} program.py", redirection)
    except subprocess.TimeoutExpired as expired:
        yield Caught("hung", _keep(hunt, text, f"{expired.cmd} has not ended after {_LIMIT:g} s"))
        return
    if watched.code != alone.code or watched.out != alone.out:
        what = f"{redirection!r}: {alone.code} became {watched.code}, {alone.out[-200:]!r} became"
        wrong = f"{what} {watched.out[-200:]!r} ({watched.ran[-300:]!r})"
        yield Caught("lost" if watched.code == alone.code else "crashed", _keep(hunt, text, wrong))
    elif not report.exists() or "jaxlint: failed" in watched.ran:
        yield Caught("lost", _keep(hunt, text, f"no report: {watched.ran[-300:]!r}"))


def _run(folder: Path, command: str, redirection: str) -> Ended:
    """Run a command in a shell, as its last one is not: so that its code is a shell's."""
    process = subprocess.Popen(
        ["sh", "-c", f"ulimit -c 0; ulimit -t {_SECONDS}; {command} {redirection}; exit $?"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        errors="backslashreplace", start_new_session=True,
        env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    try:
        out, err = process.communicate(timeout=_LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return Ended(process.returncode, out, err)


def _keep(hunt: Hunt, text: str, what: str) -> str:
    keep: Path = hunt.arguments.keep
    keep.mkdir(exist_ok=True, parents=True)
    kept = keep / f"observed_{hunt.arguments.seed}_{time.time_ns():x}.py"
    kept.write_text(text, "utf-8")
    return f"{kept}: {what}"
