"""Runs the example kernels through the command line and compares with numpy.

usage: run_examples.py HEDDLE EXAMPLES_DIR [NAME] [--large | --device DEVICE]
NAME: only cases of that file. --large: real sizes (minutes, 8 GB of memory) in place of the small ones. --device: schedules for devices, on
`opencl`, `cuda`, or `cuda-emulated`, which finds races and faults."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import cases

CACHE = tempfile.TemporaryDirectory()  # nothing from earlier runs
os.environ["HEDDLE_CACHE_DIR"] = CACHE.name
os.environ.pop("HEDDLE_CACHE", None)

TOLERANCE = {np.dtype(np.float32): 1e-5, np.dtype(np.float64): 1e-12, np.dtype(np.complex128): 1e-12}


def run(heddle, examples, file, kernel, schedule, sizes, inputs, outputs, folder, device="c"):
    """One `heddle run`; gives the arrays it wrote."""
    command = [heddle, "run", f"{examples}/{file}.heddle", "--kernel", kernel, "--device", device]
    if schedule:
        command += ["--schedule", schedule]
    for name, value in sizes.items():
        command += ["--set", f"{name}={value}"]
    for name, value in inputs.items():
        if np.ndim(value) == 0:
            command += ["--set", f"{name}={float(value)!r}"]
        else:
            np.save(f"{folder}/{name}.npy", value)
            command += ["--in", f"{name}={folder}/{name}.npy"]
    for name in outputs:
        command += ["--out", f"{name}={folder}/out_{name}.npy"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"exit {done.returncode}\n{' '.join(command)}\n{done.stderr}")
    return {name: np.load(f"{folder}/out_{name}.npy") for name in outputs}


def compare(name, got, expected):
    if isinstance(expected, tuple):
        pick, expected = expected
        got = pick(got)
    assert got.shape == expected.shape, f"{name}: shape {got.shape}, not {expected.shape}"
    if got.dtype.kind in "iub":
        assert (got == expected).all(), f"{name}: integers differ"
        return 0.0
    if not got.size:
        return 0.0
    worst = float(np.abs(got - expected).max() / (np.abs(expected).max() + 1e-300))
    assert worst <= TOLERANCE[got.dtype], f"{name}: relative difference {worst:.3e}"
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle", type=pathlib.Path)
    parser.add_argument("examples")
    parser.add_argument("only", nargs="?")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--device", default="c")
    options = parser.parse_args()
    heddle, examples, only = str(options.heddle.resolve()), options.examples, options.only
    failed = ran = 0
    for make, schedules in cases.LARGE if options.large else cases.CASES if options.device == "c" else cases.DEVICE:
        file, kernel, sizes, inputs, outputs = make()
        if only and file != only:
            continue
        for schedule in schedules:
            ran += 1
            with tempfile.TemporaryDirectory() as folder:
                try:
                    got = run(heddle, examples, file, kernel, schedule, sizes, inputs, outputs, folder, options.device)
                    worst = max(compare(n, got[n], outputs[n]) for n in outputs)
                    print(f"ok    {kernel:20s} {schedule or '(as written)':14s} {worst:.1e}")
                except AssertionError as error:
                    failed += 1
                    print(f"FAIL  {kernel:20s} {schedule or '(as written)':14s} {error}")
    if not ran:
        sys.exit(f"no case of that name: {only}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
