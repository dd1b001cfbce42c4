"""Element matrix of a Laplace-like form at degree 6: the nest that a form compiler gives, the same after the schedule of
examples/fe_matrix.heddle (as it is, and with more steps for n = 7), and staged C written by hand (fe_matrix_hand.c), all in one run: a table, as markdown lines.

Called by run.py; alone: fe_matrix.py BUILD_DIR [--repeat 5]. Needs numpy and a C compiler (`cc`)."""
import argparse
import ctypes
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
FLAGS = ["-O3", "-march=native", "-fPIC", "-shared"]
N = 7


def library(folder, name, sources, flags):
    out = folder / f"{name}.so"
    subprocess.run(["cc", *FLAGS, *flags, *map(str, sources), "-lm", "-o", str(out)], check=True)
    return ctypes.CDLL(str(out))


def emitted(heddle, folder, name, file, schedule):
    """The kernel's function, emitted and compiled as `heddle run` does it."""
    out = folder / name
    subprocess.run([heddle, "emit", str(file), "--kernel", "fe_matrix", *(["--schedule", schedule] if schedule else []), "--out", str(out)],
                   check=True, capture_output=True)
    function = library(folder, name, sorted(out.glob("*.c")), ["-std=c11", "-ffp-contract=off", "-fopenmp"]).fe_matrix
    return lambda *arrays: function(ctypes.c_int64(N), *arrays)


def tuned(text):
    """The example with more steps: the size is known, rows of t2 are summed in registers, (j1, j2) is one loop, and lanes are."""
    head = "schedule factorised for fe_matrix {\n"
    assert head in text and text.rstrip().endswith("}")
    for s in (a + b for a in "xyz" for b in "xyz"):
        text = text.rstrip().removesuffix("}") + (
            f"  buffer {s}_t2 at {s}_1_end.{s}_j1 in private into {s}_row loops {s}_b\n"
            f"  join {s}_2_end.j1, {s}_2_end.j2 into {s}_f\n"
            f"  vectorize {s}.{s}_b2\n  vectorize {s}_1_end.{s}_j2\n  vectorize {s}_f\n}}\n")
    return text.replace(head, f"{head}  fix n = {N}\n")


def functions(heddle, folder):
    example = ROOT / "examples" / "fe_matrix.heddle"
    fixed = folder / "fixed.heddle"
    fixed.write_text(tuned(example.read_text()))
    hand = HERE / "fe_matrix_hand.c"
    return {
        "nest as written, gcc -O3": emitted(heddle, folder, "nest", example, None),
        "schedule, n = 7 known": emitted(heddle, folder, "fixed", fixed, "factorised"),
        "schedule, any n": emitted(heddle, folder, "open", example, "factorised"),
        "by hand, n = 7 known": library(folder, "hand", [hand], []).fe_matrix_hand,
        "by hand, without contraction to fma": library(folder, "plain", [hand], ["-ffp-contract=off"]).fe_matrix_hand,
    }


def seconds(function, arrays):
    """Of one call, from as many as take 50 ms."""
    calls, start = 0, time.perf_counter()
    while calls == 0 or time.perf_counter() - start < 0.05:
        assert function(*arrays) == 0
        calls += 1
    return (time.perf_counter() - start) / calls


def lines(build, repeat):
    sys.path.insert(0, str(ROOT / "test" / "examples"))
    import reference
    given, wanted = reference.fe_matrix(N - 1)
    inputs = [np.ascontiguousarray(a) for a in (given["G"], given["D"], np.eye(N))]
    with tempfile.TemporaryDirectory() as name:
        all_functions = functions(str(build / "heddle"), pathlib.Path(name))
        times = {title: [] for title in all_functions}
        worst = {}
        for _ in range(repeat):
            for title, function in all_functions.items():
                A = np.full((N ** 3, N ** 3), np.nan)
                times[title].append(seconds(function, [ctypes.c_void_p(a.ctypes.data) for a in (*inputs, A)]))
                worst[title] = np.abs(A - wanted["A"]).max() / np.abs(wanted["A"]).max()
    out = ["| degree 6, one element, one thread | ms | difference from numpy |", "| --- | --- | --- |"]
    median = {title: statistics.median(t) for title, t in times.items()}
    out += [f"| {title} | {median[title] * 1e3:.2f} | {worst[title]:.0e} |" for title in times]
    assert max(worst.values()) < 1e-12, "results differ"
    nest, ours, _, hand, plain = median.values()
    out += ["", "| aim | bar | seen |", "| --- | --- | --- |", f"| times faster than the nest | 50 | {nest / ours:.0f} |",
            f"| time of the schedule to that of C by hand (the faster of both) | 1.2 | {ours / min(hand, plain):.2f} |", "",
            f"Medians of {repeat} in one run, in turn."]
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    print("\n".join(lines(options.build.resolve(), options.repeat)))


if __name__ == "__main__":
    main()
