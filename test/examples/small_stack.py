"""Staged temporaries need no stack: the factorised element matrix under `ulimit -s 1024`, called from a thread with 64 KiB.

usage: small_stack.py HEDDLE EXAMPLES_DIR DEGREE"""
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np

import reference


def main(heddle, examples, degree):
    given, wanted = reference.fe_matrix(int(degree))
    n = int(degree) + 1
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([heddle, "emit", f"{examples}/fe_matrix.heddle", "--schedule", "factorised", "--out", name], check=True, capture_output=True)
        program = folder / "small_stack"
        sources = [pathlib.Path(__file__).parent / "small_stack.c", *folder.glob("*.c")]
        subprocess.run(["cc", "-std=gnu11", "-O2", "-I", name, *map(str, sources), "-lpthread", "-lm", "-o", str(program)], check=True)
        for key, value in (("G", given["G"]), ("D", given["D"]), ("B", np.eye(n))):
            np.ascontiguousarray(value).tofile(folder / key)
        limit = 1024 * 1024
        subprocess.run([str(program), str(n), name], check=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (limit, limit)))
        got = np.fromfile(folder / "A").reshape(wanted["A"].shape)
    worst = np.abs(got - wanted["A"]).max() / np.abs(wanted["A"]).max()
    assert worst < 1e-12, f"relative difference {worst:.1e}"
    print(f"degree {degree}: {got.nbytes} bytes of result, relative difference {worst:.1e}")


if __name__ == "__main__":
    main(*sys.argv[1:])
