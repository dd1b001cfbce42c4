"""Dr.Jit's LLVM backend on the works of bench_freeze: nanoseconds of CPU time of the calling thread (median, least), MiB of the chain.

usage: drjit_peer.py calls | chain"""
import resource
import statistics
import sys
import time

import drjit as dr
from drjit.llvm import Float64


def measure(name, calls, work):
    work()
    work()
    times = []
    for _ in range(21):
        start = time.thread_time()
        for _ in range(calls):
            work()
        times.append((time.thread_time() - start) / calls * 1e9)
    print(f"{name}\t{statistics.median(times):.1f}\t{min(times):.1f}", flush=True)


def five(x, y):
    """Five kernels: each value is evaluated before the next is made."""
    for _ in range(5):
        y = x * 1e-9 + y
        dr.eval(y)
    return y


def one(x, y):
    y = x * 1e-9 + y
    dr.eval(y)
    return y


def chain(x):
    for _ in range(10):
        x = x * 1.0 + 1.0
        dr.eval(x)
    return dr.sum(x)


def calls():
    x, y = dr.arange(Float64, 16) * 1e-3, dr.arange(Float64, 16) * 1e-3
    dr.eval(x, y)
    frozen_five, frozen_one = dr.freeze(five), dr.freeze(one)

    def synced(f):
        def run():
            f(x, y)
            dr.sync_thread()
        return run
    measure("5 kernels, frozen", 500, synced(frozen_five))
    measure("1 kernel, frozen", 500, synced(frozen_one))
    measure("1 kernel, not frozen", 500, synced(one))


def peak(f):
    x = dr.full(Float64, 1.0, 1 << 20)
    dr.eval(x)
    small = dr.full(Float64, 1.0, 8)
    dr.eval(small)
    dr.eval(f(small))
    dr.sync_thread()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for _ in range(3):
        dr.eval(f(x))
        dr.sync_thread()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before


if __name__ == "__main__":
    if sys.argv[1] == "calls":
        calls()
    else:
        print(f"chain\t{peak(dr.freeze(chain)):.1f}\t0")
