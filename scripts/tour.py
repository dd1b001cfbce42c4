"""The main job, end to end: a kernel is shown, scheduled with proofs, emitted, compiled, run on data, checked and timed.

usage: tour.py HEDDLE"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNEL = ROOT / "examples" / "gemm.heddle"
SIZES = dict(n=1021, m=1031, k=1033)


def heading(text):
    print(f"\n\033[1m== {text}\033[0m", flush=True)


def heddle(binary, *arguments, expect=0):
    done = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != expect:
        sys.exit(f"heddle {' '.join(map(str, arguments))}\nexit {done.returncode}\n{done.stderr}")
    return done


def inputs(folder):
    rng = np.random.default_rng(0)
    a = rng.standard_normal((SIZES["n"], SIZES["k"]))
    b = rng.standard_normal((SIZES["k"], SIZES["m"]))
    c = rng.standard_normal((SIZES["n"], SIZES["m"]))
    for name, value in dict(A=a, B=b, C=c).items():
        np.save(folder / f"{name}.npy", value)
    return 1.5 * a @ b - 0.5 * c


def run(binary, folder, expected, schedule):
    options = ["--schedule", schedule] if schedule else []
    done = heddle(binary, "run", KERNEL, *options, "--set", "alpha=1.5", "--set", "beta=-0.5", "--repeat", 5, "--json",
                  *(x for n in "ABC" for x in ("--in", f"{n}={folder}/{n}.npy")), "--out", f"C={folder}/out.npy")
    got = np.load(folder / "out.npy")
    worst = np.abs(got - expected).max() / np.abs(expected).max()
    if not worst < 1e-12:
        sys.exit(f"wrong result with schedule {schedule}: relative difference {worst:.3e}")
    seconds = json.loads(done.stdout)["seconds"]["median"]
    flops = 2 * SIZES["n"] * SIZES["m"] * SIZES["k"]
    print(f"{schedule or 'as written':12s} {seconds * 1e3:9.1f} ms  {flops / seconds / 1e9:6.2f} GFLOP/s   largest relative difference "
          f"from numpy {worst:.1e}", flush=True)
    return seconds


def main(binary):
    heading("The kernel and its schedule")
    print(KERNEL.read_text())
    heading("The schedule, each step proved to keep the meaning")
    print(heddle(binary, "show", KERNEL, "--schedule", "blocked").stdout)
    heading("A step that would change the result is refused, with two instances as the proof")
    wrong = ROOT / "examples" / "refused.heddle"
    print(wrong.read_text())
    print(heddle(binary, "show", wrong, "--schedule", "wrong", expect=1).stderr)
    heading("The C it becomes (device part)")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        heddle(binary, "emit", KERNEL, "--schedule", "blocked", "--out", folder / "c")
        print((folder / "c" / "gemm_device.c").read_text())
        heading("Compiled, run on {n} x {m} x {k}, checked against numpy, median of 5 runs".format(**SIZES))
        expected = inputs(folder)
        plain = run(binary, folder, expected, None)
        blocked = run(binary, folder, expected, "blocked")
        print(f"\nthe schedule makes it {plain / blocked:.1f} times faster")


if __name__ == "__main__":
    main(sys.argv[1])
