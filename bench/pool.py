"""The pool against other allocators on two traces, all in one run: a table and the bars, as markdown lines.

Called by run.py; alone: pool.py BUILD_DIR [--batches 5]. The other mallocs are Debian's libmimalloc2.0, libjemalloc2 and
libtcmalloc-minimal4; what is not installed is said."""
import argparse
import collections
import ctypes.util
import os
import pathlib
import shutil
import subprocess
import tempfile

PRELOADED = {"mimalloc": "mimalloc", "jemalloc": "jemalloc", "tcmalloc": "tcmalloc_minimal"}
TRACES, TOUCHES, THREADS = ("sequence", "mix"), ("none", "page", "full"), (1, 2)
Run = collections.namedtuple("Run", "ns resident live held calls")


def library(name):
    """The shared object that the dynamic loader would take, or None."""
    return ctypes.util.find_library(PRELOADED[name])


def run(build, policy, trace, touch, threads, batches, below=()):
    binary = policy if policy in ("pmr", "pool", "arena") else "malloc"
    environment = dict(os.environ)
    if policy in PRELOADED:
        environment["LD_PRELOAD"] = library(policy)
    words = [*below, str(build / "bench_pool"), binary, trace, touch, str(threads), str(batches)]
    out = subprocess.run(words, env=environment, check=True, capture_output=True, text=True).stdout.split()
    return Run(float(out[0]), *map(int, out[1:]))


def memory_calls(build, trace, batches):
    """System calls about memory or waiting, of a whole process with so many batches."""
    with tempfile.NamedTemporaryFile("r") as log:
        run(build, "pool", trace, "page", 1, batches, ["strace", "-f", "-qq", "-e", "trace=%memory,futex", "-o", log.name])
        return len(log.read().splitlines())


def show(ns):
    return f"{ns:,.0f}".replace(",", " ") if ns >= 10 else f"{ns:.1f}"


def bars(build, cells, batches):
    """What is aimed at, and what was seen in this run."""
    cell = lambda policy, trace, touch: cells[policy, trace, touch, 1]
    ratios = [cell("malloc", t, "page").ns / cell("pool", t, "page").ns for t in TRACES]
    own = [run(build, "pool", t, "idle", 1, batches).ns for t in TRACES]
    mix = cell("pool", "mix", "none")
    lines = ["", "| aim, one thread | bar | seen |", "| --- | --- | --- |",
             f"| page-touched pair against malloc's default, times cheaper | 80 | sequence {ratios[0]:.0f}, mix {ratios[1]:.0f} |",
             f"| the pool's own ns for a pair, nothing touched | 200 | sequence {own[0]:.0f}, mix {own[1]:.0f} |",
             f"| peak bytes held, of peak bytes live, on the mix (6000 pairs) | 1.5 | {mix.held / mix.live:.2f} |",
             f"| planned arena, ns for a temporary | 10 | {run(build, 'arena', 'sequence', 'idle', 1, batches).ns:.1f} |"]
    if shutil.which("strace"):
        more = [memory_calls(build, t, 20) - memory_calls(build, t, 2) for t in TRACES]
        lines.append(f"| system calls of 18 more batches (strace) | 0 | sequence {more[0]}, mix {more[1]} |")
    else:
        calls = [cell("pool", t, "page").calls for t in TRACES]
        lines.append(f"| calls below after warming up (strace is not installed) | 0 | sequence {calls[0]}, mix {calls[1]} |")
    return lines


def lines(build, batches=5):
    policies = ["malloc", *PRELOADED, "pmr", "pool", "arena"]
    missing = [p for p in PRELOADED if not library(p)]
    cells = {}
    columns = [(t, h, n) for t in TRACES for h in TOUCHES for n in THREADS]
    out = ["| CPU ns for a pair | " + " | ".join(f"{t} {h} {n}" for t, h, n in columns) + " | resident MiB (page 1) |",
           "| --- |" + " --- |" * (len(columns) + 1)]
    for policy in policies:
        if policy in missing:
            continue
        row = []
        for column in columns:
            if policy == "arena" and column[0] == "mix":
                row.append("")
                continue
            cells[(policy, *column)] = run(build, policy, *column, batches)
            row.append(show(cells[(policy, *column)].ns))
        resident = [str(cells[policy, t, "page", 1].resident) for t in TRACES if (policy, t, "page", 1) in cells]
        out.append(f"| {policy} | " + " | ".join(row) + f" | {' / '.join(resident)} |")
        print(out[-1], flush=True)
    out.append(f"\nMedians of {batches} batches in one run." + (f" Not installed: {', '.join(missing)}." if missing else ""))
    out += bars(build, cells, batches)
    print("\n".join(out[-7:]))
    return out


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--batches", type=int, default=5)
    options = parser.parse_args()
    lines(options.build.resolve(), options.batches)
