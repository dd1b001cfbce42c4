"""All benchmarks in one run: generation speed against loopy and isl alone, the memory pool against other allocators, a kernel with
staged temporaries against its nest and against C by hand, frozen calls against Dr.Jit and C by hand.

usage: run.py BUILD_DIR [--only generation|pool|staged|freeze] [--repeat 5] [--quick] [--markdown README.md]
Programs come from BUILD_DIR (-DHEDDLE_BENCH=ON, Release); loopy is installed into BUILD_DIR/peers (PyPI). --markdown writes each
part between its `<!-- begin NAME -->` and `<!-- end NAME -->`."""
import argparse
import pathlib
import resource
import statistics
import subprocess
import sys
import time
import venv

import fe_matrix
import freeze
import pool

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent

# (title, our command, the bar in seconds, peers: (name, command, repetitions)); "{n}" commands print their seconds.
def table(build, python):
    ours = str(build / "bench_library")
    isl = str(build / "isl_peer")
    loopy = [python, str(HERE / "loopy_peer.py")]
    heddle = [str(build / "heddle"), "emit", str(ROOT / "examples" / "axpy.heddle"), "--kernel", "axpy", "--out"]
    return [
        ("axpy, file to C, whole process", ("process", heddle + [str(build / "bench_axpy")]), 0.015, [("loopy", ("process", loopy + ["axpy", "1"]), 5)]),
        ("matmul, 3 loops tiled, full tiles separated", ("prints", [ours, "matmul-tiled"]), 0.02, [("isl AST", ("prints", [isl, "tiled"]), 5)]),
        ("matmul, two levels, separated", ("prints", [ours, "matmul-two-level"]), 0.06, [("isl AST", ("prints", [isl, "two-level"]), 5)]),
        ("matmul, two levels, separated, unrolled", ("prints", [ours, "matmul-two-level-unrolled"]), 0.06, [("isl AST", ("prints", [isl, "two-level-unrolled"]), 5)]),
        ("chain of 1000 statements", ("prints", [ours, "chain", "1000"]), 0.25, [("loopy", ("prints", loopy + ["chain", "1000"]), 1), ("isl flow", ("prints", [isl, "chain-flow", "1000"]), 5)]),
        ("1000 statements on rows of one array", ("prints", [ours, "rows", "1000"]), 0.5, [("loopy", ("prints", loopy + ["rows", "1000"]), 1), ("isl flow", ("prints", [isl, "rows-flow", "1000"]), 1)]),
        ("1000 separate 2-D loops", ("prints", [ours, "nests", "1000"]), 0.2, [("loopy", ("prints", loopy + ["nests", "1000"]), 1), ("isl AST", ("prints", [isl, "nests", "1000"]), 5)]),
        ("chain of 10,000 statements", ("prints", [ours, "chain", "10000"]), 2.5, []),
        ("10,000 statements on rows of one array", ("prints", [ours, "rows", "10000"]), 5.0, []),
        ("10,000 separate 2-D loops", ("prints", [ours, "nests", "10000"]), 2.0, [("isl AST", ("prints", [isl, "nests", "10000"]), 1)]),
        ("64 x 64 statements by full unrolling", ("prints", [ours, "square", "64"]), 0.2, [("loopy", ("prints", loopy + ["square", "64"]), 1)]),
        ("constant table of 8 MB", ("prints", [ours, "table", "1048576"]), 0.5, [("loopy", ("prints", loopy + ["table", "1048576"]), 1)]),
        ("substitution rules nested 1,000 deep", ("prints", [ours, "rules", "1000"]), 0.2, [("loopy", ("prints", loopy + ["rules", "1000"]), 1)]),
    ]


def once(how, command):
    """Seconds of one run, and the peak resident set in MiB; None where the command fails."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        return None
    return elapsed if how == "process" else float(done.stdout.split()[-1])


def median(how, command, repeat):
    seconds = [once(how, command) for _ in range(repeat)]
    return None if None in seconds else statistics.median(seconds)


def peers_python(build):
    folder = build / "peers"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "loopy==2025.2", "islpy<2026"], check=True)
    return str(python)


def show(seconds):
    return "fails" if seconds is None else f"{seconds:.4f}" if seconds < 1 else f"{seconds:.2f}"


def generation(build, repeat, quick):
    python = sys.executable if quick else peers_python(build)
    lines = ["| work | Heddle s | bar s | peers s (times Heddle) |", "| --- | --- | --- | --- |"]
    for title, (how, command), bar, peers in table(build, python):
        ours = median(how, command, repeat)
        others = []
        for name, (peer_how, peer_command), peer_repeat in [] if quick else peers:
            theirs = median(peer_how, peer_command, min(peer_repeat, repeat))
            ratio = f" ({theirs / ours:.0f}x)" if theirs and ours else ""
            others.append(f"{name} {show(theirs)}{ratio}")
        verdict = "" if ours is not None and ours <= bar else " (over)"
        lines.append(f"| {title} | {show(ours)}{verdict} | {bar} | {', '.join(others)} |")
        print(lines[-1], flush=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    lines.append(f"\nMedians of {repeat} runs (peers that take seconds: 1). Largest process: {peak:.0f} MiB.")
    print(lines[-1])
    return lines


def write(file, name, lines):
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    text = file.read_text()
    before, rest = text.split(begin)
    file.write_text(before + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end)[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", choices=["generation", "pool", "staged", "freeze"])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="generation without the peers")
    parser.add_argument("--markdown", type=pathlib.Path)
    options = parser.parse_args()
    build = options.build.resolve()
    parts = {"generation": lambda: generation(build, options.repeat, options.quick),
             "pool": lambda: pool.lines(build, options.repeat),
             "staged": lambda: fe_matrix.lines(build, options.repeat),
             "freeze": lambda: freeze.lines(build)}
    for name in [options.only] if options.only else parts:
        lines = parts[name]()
        if options.markdown:
            write(options.markdown, name, lines)


if __name__ == "__main__":
    main()
