"""The example kernels as test cases: inputs from the numpy references, and what must come out.

A case is (name, file, kernel, sizes, inputs, outputs): `sizes` are index parameters that array shapes do not determine, `inputs` arrays
and scalars by argument name, `outputs` the expected arrays by argument name."""
import numpy as np

import reference as ref


def fe_matrix(p):
    i, o = ref.fe_matrix(p)
    n = p + 1
    return "fe_matrix", "fe_matrix", {}, dict(G=i["G"], D=i["D"], B=np.eye(n)), dict(A=o["A"].reshape((n,) * 6))


def fe_action(p, ne):
    i, o = ref.fe_action(p, ne)
    return "fe_action", "fe_action", {}, i, o


def dg_advection(nel, p):
    i, o = ref.dg_advection(nel, p)
    return "dg_advection", "dg_advection", {}, i, o


def lbm(n, steps):
    i, o = ref.lbm_d3q19(n, steps)
    f = np.zeros((2,) + i["f"].shape)
    f[0] = i["f"]
    return ("lbm_d3q19", "lbm_d3q19", dict(T=steps), dict(f=f, omega=i["omega"]),
            dict(f=(lambda got: got[steps % 2], o["f"])))


def heat3d(n, steps):
    i, o = ref.heat3d(n, steps)
    u = np.stack([i["u"], i["u"]])
    return "heat3d", "heat3d", dict(T=steps), dict(u=u, k=i["k"]), dict(u=(lambda got: got[steps % 2], o["u"]))


def nbody(n):
    i, o = ref.nbody(n)
    return "nbody", "nbody", {}, i, o


def histogram(nthr, m, nb):
    i, o = ref.histogram_scratch(nthr, m, nb)
    return "histogram_scratch", "histogram_scratch", {}, dict(i, y=np.zeros((5, nb))), o


def block_reduce(bs):
    i, o = ref.block_reduce_submit(9, bs)
    return "block_reduce_submit", "block_reduce_submit", {}, dict(i, out=np.full(4, 100.0)), o


def scan(n):
    if n == 0:
        empty = np.zeros(0, np.int64)
        return "scan", "scan", {}, dict(x=empty, f=empty), dict(s=empty, e=empty, seg=empty)
    i, o = ref.scan(n)
    return "scan", "scan", {}, i, o


def scan_recurrence(n):
    i, o = ref.scan(n)
    return "scan", "scan_recurrence", {}, dict(x=i["x"]), dict(s=o["s"])


def spmv(name):
    i, o = ref.spmv(name)
    kernel = "spmv_complex" if np.iscomplexobj(i["v"]) else "spmv"
    return "spmv", kernel, {}, i, o


def batched(nb, m, k, n):
    i, o = ref.batched_matmul(nb, m, k, n)
    return "batched_matmul", "batched_matmul", {}, i, o


def batched_beta_zero():
    """beta = 0 must not read C: it holds NaN here."""
    i, _ = ref.batched_matmul(20)
    i = dict(i, C=np.full_like(i["C"], np.nan), beta=0.0)
    return "batched_matmul", "batched_matmul", {}, i, dict(C=1.5 * i["A"] @ i["B"])


def cholesky(n):
    i, o = ref.cholesky_solve(n)
    upper = np.triu_indices(n, 1)
    i["A"][upper] = 777.0

    def lower(got):
        assert (got[upper] == 777.0).all(), "the upper triangle was touched"
        return np.tril(got)
    return "cholesky_solve", "cholesky_solve", {}, i, dict(A=(lower, o["L"]), x=o["x"])


def harris(img=None):
    i, o = ref.harris(img)
    return "harris", "harris", {}, dict(img=i["img"], k=np.float32(i["k"])), o


# (case, schedules that apply to it; None is the kernel as written)
CASES = [
    (lambda: fe_matrix(2), [None, "rows"]),
    (lambda: fe_matrix(3), [None, "rows"]),
    (lambda: fe_action(4, 6), [None, "elements"]),
    (lambda: fe_action(2, 1), [None, "elements"]),
    (lambda: dg_advection(10, 4), [None, "fused"]),
    (lambda: dg_advection(17, 3), [None, "fused"]),
    (lambda: lbm(8, 3), [None, "planes"]),
    (lambda: lbm(5, 4), [None, "planes"]),
    (lambda: heat3d(16, 4), [None, "plain", "skewed"]),
    (lambda: heat3d(11, 7), [None, "plain", "skewed"]),
    (lambda: nbody(257), [None, "cpu"]),
    (lambda: nbody(1), [None, "cpu"]),
    (lambda: histogram(64, 37, 16), [None, "cpu"]),
    (lambda: histogram(3, 1, 5), [None, "cpu"]),
    (lambda: block_reduce(64), [None, "cpu"]),
    (lambda: block_reduce(37), [None, "cpu"]),
    (lambda: scan(1000), [None, "rows"]),
    (lambda: scan(1), [None, "rows"]),
    (lambda: scan(0), [None, "rows"]),
    (lambda: scan(1025), [None, "rows"]),
    (lambda: scan_recurrence(1023), [None]),
    (lambda: spmv("airfoil"), [None, "rows"]),
    (lambda: spmv("helmholtz_2D"), [None, "rows"]),
    (lambda: batched(500, 9, 7, 5), [None, "fixed"]),
    (lambda: batched(3, 3, 3, 3), [None]),
    (batched_beta_zero, [None, "fixed"]),
    (lambda: cholesky(24), [None, "columns"]),
    (lambda: cholesky(1), [None, "columns"]),
    (lambda: cholesky(2), [None, "columns"]),
    (lambda: cholesky(3), [None, "columns"]),
    (lambda: harris(), [None, "stages"]),
    (lambda: harris(np.random.default_rng(1).random((7, 7), dtype=np.float32)), [None, "stages"]),
    (lambda: harris(np.random.default_rng(2).random((4, 9), dtype=np.float32)), [None, "stages"]),
]
