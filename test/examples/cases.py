"""The example kernels as test cases, small ones and (`LARGE`) such as people run: inputs from the numpy references, and what must come out.

A case is (name, file, kernel, sizes, inputs, outputs): `sizes` are index parameters that array shapes do not determine, `inputs` arrays
and scalars by argument name, `outputs` the expected arrays by argument name."""
import numpy as np

import reference as ref


def axpy(n):
    rng = np.random.default_rng(20)
    x, y, a = rng.standard_normal(n), rng.standard_normal(n), 1.25
    return "axpy", "axpy", {}, dict(a=a, x=x, y=y), dict(y=y + a * x)


def gemm(n, m, k):
    rng = np.random.default_rng(21)
    a, b, c = rng.standard_normal((n, k)), rng.standard_normal((k, m)), rng.standard_normal((n, m))
    return "gemm", "gemm", {}, dict(alpha=1.5, beta=-0.5, A=a, B=b, C=c), dict(C=1.5 * a @ b - 0.5 * c)


def fe_matrix(p):
    i, o = ref.fe_matrix(p)
    n = p + 1
    return "fe_matrix", "fe_matrix", {}, dict(G=i["G"], D=i["D"], B=np.eye(n)), dict(A=o["A"].reshape((n,) * 6))


def fe_apply(p, ne):
    """The matrix of each element, built and applied."""
    matrices = [ref.fe_matrix(p, seed) for seed in range(ne)]
    n = p + 1
    u = np.random.default_rng(0).standard_normal((ne, n, n, n))
    v = np.stack([o["A"] @ x.ravel() for (_, o), x in zip(matrices, u)]).reshape(u.shape)
    i = dict(G=np.stack([i["G"] for i, _ in matrices]), D=matrices[0][0]["D"], B=np.eye(n), u=u)
    return "fe_apply", "fe_apply", {}, i, dict(v=v)


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


def lbm_run(n, steps):
    i, o = ref.lbm_d3q19(n, steps)
    return "lbm_d3q19", "lbm_run", dict(T=steps), dict(start=i["f"], omega=i["omega"]), dict(end=o["f"])


def heat3d_pairs(n, pairs):
    i, o = ref.heat3d(n, 2 * pairs)
    u = np.stack([i["u"], i["u"]])
    return "heat3d", "heat3d_pairs", dict(P=pairs), dict(u=u, k=i["k"]), dict(u=(lambda got: got[pairs % 2], o["u"]))


def heat3d(n, steps):
    i, o = ref.heat3d(n, steps)
    u = np.stack([i["u"], i["u"]])
    return "heat3d", "heat3d", dict(T=steps), dict(u=u, k=i["k"]), dict(u=(lambda got: got[steps % 2], o["u"]))


def nbody(n):
    i, o = ref.nbody(n)
    return "nbody", "nbody", {}, i, o


def nbody_part(n, rows):
    """So many bodies that only some rows are compared."""
    i, _ = ref.nbody(n=1)
    rng = np.random.default_rng(13)
    x, m = rng.standard_normal((n, 3)), rng.random(n)
    some = np.arange(0, n, n // rows)
    d = x[None] - x[some, None]
    a = np.einsum("j,ijd,ij->id", m, d, ((d ** 2).sum(axis=2) + i["eps"] ** 2) ** -1.5)
    return "nbody", "nbody", {}, dict(x=x, m=m, eps=i["eps"]), dict(a=(lambda got: got[some], a))


def histogram_large(nthr, m, nb):
    """The sums of the reference in another order."""
    rng = np.random.default_rng(14)
    x, key = rng.random((nthr, m)), rng.integers(0, 5, nthr)
    y = np.zeros((5, nb))
    b = np.minimum((x * nb).astype(int), nb - 1)
    for k in range(5):
        y[k] = np.bincount(b[key == k].ravel(), weights=x[key == k].ravel(), minlength=nb)
    return "histogram_scratch", "histogram_scratch", {}, dict(x=x, key=key, y=np.zeros((5, nb))), dict(y=y)


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
    (lambda: fe_matrix(2), [None, "rows", "factorised"]),
    (lambda: fe_matrix(3), [None, "rows", "factorised"]),
    (lambda: fe_apply(2, 3), [None, "elements"]),
    (lambda: fe_action(4, 6), [None, "elements", "private", "heap"]),
    (lambda: fe_action(2, 1), [None, "elements", "heap"]),
    (lambda: dg_advection(10, 4), [None, "fused", "blocks", "faces"]),
    (lambda: dg_advection(17, 3), [None, "fused", "blocks", "faces"]),
    (lambda: lbm(8, 3), [None, "planes"]),
    (lambda: lbm(5, 4), [None, "planes"]),
    (lambda: lbm_run(8, 3), [None, "heap"]),
    (lambda: lbm_run(5, 4), ["heap"]),
    (lambda: heat3d(16, 4), [None, "plain", "skewed", "streamed"]),
    (lambda: heat3d(11, 7), [None, "plain", "skewed", "streamed"]),
    (lambda: heat3d_pairs(16, 2), [None, "overlapped", "heap"]),
    (lambda: heat3d_pairs(11, 3), [None, "overlapped", "heap"]),
    (lambda: nbody(257), [None, "cpu", "tiled"]),
    (lambda: nbody(1), [None, "cpu", "tiled"]),
    (lambda: histogram(64, 37, 16), [None, "cpu", "private", "lanes", "heap"]),
    (lambda: histogram(300, 3, 16), ["private", "lanes", "heap"]),
    (lambda: histogram(3, 1, 5), [None, "cpu", "heap"]),
    (lambda: block_reduce(64), [None, "cpu"]),
    (lambda: block_reduce(37), [None, "cpu"]),
    (lambda: scan(1000), [None, "rows"]),
    (lambda: scan(1), [None, "rows"]),
    (lambda: scan(0), [None, "rows"]),
    (lambda: scan(1025), [None, "rows"]),
    (lambda: scan_recurrence(1023), [None]),
    (lambda: spmv("airfoil"), [None, "rows"]),
    (lambda: spmv("helmholtz_2D"), [None, "rows"]),
    (lambda: batched(500, 9, 7, 5), [None, "fixed", "private", "interleaved"]),
    (lambda: batched(13, 9, 7, 5), ["private", "interleaved"]),
    (lambda: batched(3, 3, 3, 3), [None]),
    (batched_beta_zero, [None, "fixed", "private", "interleaved"]),
    (lambda: cholesky(24), [None, "columns", "panels"]),
    (lambda: cholesky(75), ["columns", "panels"]),
    (lambda: cholesky(1), [None, "columns", "panels"]),
    (lambda: cholesky(2), [None, "columns"]),
    (lambda: cholesky(3), [None, "columns", "panels"]),
    (lambda: harris(), [None, "stages", "heap", "tiled", "inline"]),
    (lambda: harris(np.random.default_rng(1).random((7, 7), dtype=np.float32)), [None, "stages", "heap", "tiled", "inline"]),
    (lambda: harris(np.random.default_rng(2).random((4, 9), dtype=np.float32)), [None, "stages", "heap", "tiled", "inline"]),
]

# Schedules for devices, at sizes that are no multiples of tiles.
DEVICE = [
    (lambda: axpy(1000), ["gpu"]),
    (lambda: axpy(1), ["gpu"]),
    (lambda: gemm(37, 29, 43), ["gpu"]),
    (lambda: gemm(1, 1, 1), ["gpu"]),
    (lambda: fe_matrix(3), ["gpu"]),
    (lambda: fe_matrix(1), ["gpu"]),
    (lambda: fe_action(4, 6), ["gpu"]),
    (lambda: dg_advection(10, 4), ["gpu"]),
    (lambda: dg_advection(17, 10), ["gpu"]),
    (lambda: lbm(8, 3), ["gpu"]),
    (lambda: lbm(5, 4), ["gpu"]),
    (lambda: heat3d(16, 4), ["gpu"]),
    (lambda: heat3d(11, 7), ["gpu"]),
    (lambda: heat3d_pairs(16, 2), ["gpu"]),
    (lambda: heat3d_pairs(11, 3), ["gpu"]),
    (lambda: nbody(257), ["gpu"]),
    (lambda: nbody(1), ["gpu"]),
    (lambda: histogram(64, 37, 16), ["gpu", "gpu_shared", "gpu_global"]),
    (lambda: histogram(300, 3, 16), ["gpu", "gpu_shared", "gpu_global"]),
    (lambda: histogram(3, 1, 5), ["gpu_global"]),
    (lambda: block_reduce(64), ["gpu"]),
    (lambda: block_reduce(37), ["gpu"]),
    (lambda: block_reduce(255), ["gpu"]),
    (lambda: scan(1000), ["gpu"]),
    (lambda: scan(1), ["gpu"]),
    (lambda: scan(0), ["gpu"]),
    (lambda: scan(1025), ["gpu"]),
    (lambda: spmv("airfoil"), ["gpu"]),
    (lambda: spmv("helmholtz_2D"), ["gpu"]),
    (lambda: batched(500, 9, 7, 5), ["gpu"]),
    (lambda: batched(13, 9, 7, 5), ["gpu"]),
    (batched_beta_zero, ["gpu"]),
    (lambda: cholesky(24), ["gpu"]),
    (lambda: cholesky(75), ["gpu"]),
    (lambda: cholesky(1), ["gpu"]),
    (lambda: cholesky(2), ["gpu"]),
    (lambda: cholesky(3), ["gpu"]),
    (lambda: harris(), ["gpu"]),
    (lambda: harris(np.random.default_rng(1).random((7, 7), dtype=np.float32)), ["gpu"]),
    (lambda: harris(np.random.default_rng(2).random((4, 9), dtype=np.float32)), ["gpu"]),
]

LARGE = [
    (lambda: fe_matrix(6), [None, "factorised"]),
    (lambda: fe_matrix(8), ["factorised"]),
    (lambda: fe_matrix(15), ["factorised"]),
    (lambda: fe_apply(8, 5), ["elements"]),
    (lambda: fe_apply(15, 2), ["elements"]),
    (lambda: fe_action(4, 4096), ["elements", "private", "heap"]),
    (lambda: fe_action(7, 512), ["elements", "heap"]),
    (lambda: dg_advection(100000, 34), ["fused", "blocks", "faces"]),
    (lambda: lbm_run(128, 10), ["heap"]),
    (lambda: heat3d(256, 100), ["plain", "streamed"]),
    (lambda: heat3d_pairs(256, 50), ["overlapped", "heap"]),
    (lambda: nbody_part(65536, 64), ["cpu", "tiled"]),
    (lambda: histogram_large(1000000, 256, 16), ["private", "lanes", "heap"]),
    (lambda: histogram_large(100000, 256, 256), ["heap"]),
    (lambda: batched(100000, 9, 7, 5), ["fixed", "private", "interleaved"]),
    (lambda: cholesky(1000), ["columns", "panels"]),
    (lambda: harris(np.random.default_rng(3).random((4096, 4096), dtype=np.float32)), ["stages", "heap", "tiled", "inline"]),
]
