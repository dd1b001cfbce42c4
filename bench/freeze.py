"""Frozen calls beside Dr.Jit (PyPI, LLVM backend) and the same by hand, all in one run: a table, as markdown lines.

Called by run.py; alone: freeze.py BUILD_DIR. Dr.Jit is installed into BUILD_DIR/drjit; where that fails its column says so."""
import argparse
import os
import pathlib
import subprocess
import venv

HERE = pathlib.Path(__file__).resolve().parent
# (work, ours, bar in ns, by hand, Dr.Jit)
ROWS = [
    ("5 kernels on 16 elements, frozen, bind included", "5 kernels, frozen, in place", 500, "5 kernels, by hand", "5 kernels, frozen"),
    ("the same with a new array as result", "5 kernels, frozen, with a result", None, None, None),
    ("1 kernel, frozen", "1 kernel, frozen", 150, "1 kernel, by hand", "1 kernel, frozen"),
    ("1 kernel, not frozen", "1 kernel, not frozen", 500, None, "1 kernel, not frozen"),
    ("same kernel and schedule asked for again", "same kernel and schedule again", 1000, None, None),
    ("key to function, from disk", "from disk", 150000, None, None),
]


def figures(words, environment=None):
    """name -> (median, least) that a program prints; None where it fails."""
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        return None
    split = [line.split("\t") for line in done.stdout.splitlines()]
    return {name: (float(median), float(least)) for name, median, least in split}


def drjit_python(build):
    """A Python with Dr.Jit, or None."""
    folder = build / "drjit"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    words = [python, "-m", "pip", "install", "-q", "drjit==1.5.0"]
    return python if subprocess.run(words, capture_output=True).returncode == 0 else None


def disk_hit(build):
    """Nanoseconds from text to function for a module that is on disk."""
    text = build / "bench_freeze_disk.c"
    text.write_text("int f(void) { return 7; }\n")
    out = subprocess.run([str(build / "bench_cache"), str(text)], capture_output=True, text=True, check=True).stdout
    name = "from disk, given the key"
    line = next(line for line in out.splitlines() if line.startswith(name))
    median, least = line[len(name):].split()
    return {"from disk": (1000 * float(median), 1000 * float(least))}


def show(ns):
    return f"{ns / 1000:.2f}" if ns < 100000 else f"{ns / 1000:.0f}"


def cell(found, name):
    return f"{show(found[name][0])} ({show(found[name][1])})" if found and name in found else ""


def lines(build):
    ours = {**figures([build / "bench_freeze", "calls"]), **disk_hit(build)}
    python = drjit_python(build)
    theirs = figures([python, HERE / "drjit_peer.py", "calls"]) if python else None
    out = ["| µs: median (least) | Heddle | bar | by hand | Dr.Jit |", "| --- | --- | --- | --- | --- |"]
    for title, name, bar, hand, peer in ROWS:
        over = " (over)" if bar and ours[name][0] > bar else ""
        out.append(f"| {title} | {cell(ours, name)}{over} | {show(bar) if bar else ''} | {cell(ours, hand)} | {cell(theirs, peer)} |")
    opencl = figures([build / "bench_freeze", "opencl"], {"POCL_DEVICES": "basic"})
    if opencl:
        a, b = opencl["5 launches, frozen"], opencl["5 launches, by hand"]
        over = " (over)" if a[0] > 1.1 * b[0] else ""
        out.append(f"| 5 launches on PoCL's basic device | {cell(opencl, '5 launches, frozen')}{over} | {show(1.1 * b[0])} | {cell(opencl, '5 launches, by hand')} | |")
    memory = figures([build / "bench_freeze", "chain"])["chain"][0]
    peer = figures([python, HERE / "drjit_peer.py", "chain"]) if python else None
    out.append(f"| MiB that a chain of 10 temporaries of 8 MiB adds, frozen | {memory:.0f}{' (over)' if memory > 16 else ''} | 16 | | {peer['chain'][0]:.0f} |"
               if peer else f"| MiB that a chain of 10 temporaries of 8 MiB adds, frozen | {memory:.0f} | 16 | | |")
    out.append("\nCPU time of the calling thread, medians and least of 21 batches." + ("" if theirs else " Dr.Jit could not be installed or run."))
    print("\n".join(out))
    return out


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    lines(parser.parse_args().build.resolve())
