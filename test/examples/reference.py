"""numpy references for the kernels in examples/

Every function takes sizes and returns (inputs, outputs): dicts of numpy arrays. `python reference.py` runs all of
them at small sizes, checks each against a second, independent formula, and prints one line per kernel:
name, worst relative difference, checksum (sum of absolute values of each output). `python reference.py DIR` also
writes DIR/<name>.npz. Needs numpy. K09 and K12 run on the real matrices and the photograph in data/.
"""
import pathlib
import sys

import numpy as np

DATA = pathlib.Path(__file__).parent / "data"


def gll(n):
    """n-point Gauss-Lobatto-Legendre nodes, weights, derivative matrix D[q,i] = l_i'(x_q) on [-1,1]."""
    L = np.polynomial.legendre.Legendre.basis(n - 1)
    x = np.concatenate([[-1.0], np.sort(L.deriv().roots().real), [1.0]])
    w = 2.0 / (n * (n - 1) * L(x) ** 2)
    D = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                D[i, j] = L(x[i]) / (L(x[j]) * (x[i] - x[j]))
    D -= np.diag(D.sum(axis=1))
    return x, w, D


# ---------------------------------------------------------------- K01
def fe_matrix(p=3, seed=1):
    """A[i,j] = sum_q sum_ab G[a,b,q] dphi_i/dx_a(q) dphi_j/dx_b(q) on one hexahedron, i=(i0,i1,i2)."""
    n = p + 1
    _, w, D = gll(n)
    B = np.eye(n)                                   # collocated: basis values at quadrature points
    rng = np.random.default_rng(seed)
    M = rng.standard_normal((n, n, n, 3, 3))
    G = np.einsum("xyzab,xyzcb->acxyz", M, M) * np.einsum("x,y,z->xyz", w, w, w)
    A = np.zeros((n,) * 6)
    for a in range(3):
        for b in range(3):
            f = [D if a == d else B for d in range(3)]
            g = [D if b == d else B for d in range(3)]
            t = np.einsum("xyz,zi,zl->xyil", G[a, b], f[2], g[2])        # sum over z first
            t = np.einsum("xyil,yj,ym->xijlm", t, f[1], g[1])            # then y
            A += np.einsum("xijlm,xk,xn->kjinml", t, f[0], g[0])         # then x
    return dict(G=G, D=D, w=w), dict(A=A.reshape(n ** 3, n ** 3))


def fe_matrix_direct(inp):
    """The 9-deep nest, as the form compilers emit it (slow: n^9)."""
    G, D = inp["G"], inp["D"]
    n = D.shape[0]
    B = np.eye(n)
    g = np.zeros((3, n, n, n, n, n, n))
    for a in range(3):
        f = [D if a == d else B for d in range(3)]
        g[a] = np.einsum("xi,yj,zk->xyzijk", *f)
    gm = g.reshape(3, n ** 3, n ** 3)
    return np.einsum("abq,aqi,bqj->ij", G.reshape(3, 3, -1), gm, gm)


def fe_action(p=4, ne=6, seed=2):
    """Matrix-free action for ne elements: y[e] = sum_a D_a^T (sum_b G[e,a,b] * (D_b u[e]))."""
    n = p + 1
    _, w, D = gll(n)
    rng = np.random.default_rng(seed)
    M = rng.standard_normal((ne, n, n, n, 3, 3))
    G = np.einsum("exyzab,exyzcb->eacxyz", M, M) * np.einsum("x,y,z->xyz", w, w, w)
    u = rng.standard_normal((ne, n, n, n))
    gr = np.stack([np.einsum("xi,eiyz->exyz", D, u), np.einsum("yj,exjz->exyz", D, u),
                   np.einsum("zk,exyk->exyz", D, u)], axis=1)
    fl = np.einsum("eabxyz,ebxyz->eaxyz", G, gr)
    y = (np.einsum("xi,exyz->eiyz", D, fl[:, 0]) + np.einsum("yj,exyz->exjz", D, fl[:, 1])
         + np.einsum("zk,exyz->exyk", D, fl[:, 2]))
    return dict(G=G, D=D, u=u), dict(y=y)


# ---------------------------------------------------------------- K02
def dg_advection(nel=10, p=4, seed=3):
    """1-D-in-space, many-element DG right-hand side with upwind flux and periodic neighbours:
    r[e,i] = -sum_j Dw[i,j] (c u[e,j]) - LIFT[i,0]*(f*-f)_left + LIFT[i,1]*(f*-f)_right ; face map gathered."""
    n = p + 1
    x, w, D = gll(n)
    c, h = 1.5, 2.0 / nel
    rng = np.random.default_rng(seed)
    u = rng.standard_normal((nel, n))
    nbr = np.stack([(np.arange(nel) - 1) % nel, (np.arange(nel) + 1) % nel], axis=1)   # indirection table
    uL, uR = u[:, 0], u[:, -1]
    fl = c * (u[nbr[:, 0], -1] - uL)              # c>0: information comes from the left neighbour
    fr = np.zeros(nel)
    r = -(2 / h) * c * np.einsum("ij,ej->ei", D, u)
    r[:, 0] += (2 / h) * fl / w[0]
    r[:, -1] += (2 / h) * fr / w[-1]
    return dict(u=u, nbr=nbr, D=D, w=w, c=c, h=h), dict(r=r)


# ---------------------------------------------------------------- K03
C19 = np.array([[0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1],
                [1, 1, 0], [-1, -1, 0], [1, -1, 0], [-1, 1, 0], [1, 0, 1], [-1, 0, -1], [1, 0, -1],
                [-1, 0, 1], [0, 1, 1], [0, -1, -1], [0, 1, -1], [0, -1, 1]])
W19 = np.array([1 / 3] + [1 / 18] * 6 + [1 / 36] * 12)


def lbm_d3q19(n=8, steps=3, omega=1.2, seed=4):
    """Pull-stream then BGK collide on an n^3 periodic box; f[q,x,y,z]."""
    rng = np.random.default_rng(seed)
    f = W19[:, None, None, None] * (1 + 0.05 * rng.standard_normal((19, n, n, n)))
    f0 = f.copy()
    for _ in range(steps):
        s = np.stack([np.roll(f[q], C19[q], axis=(0, 1, 2)) for q in range(19)])
        rho = s.sum(axis=0)
        v = np.einsum("qd,qxyz->dxyz", C19, s) / rho
        cu = np.einsum("qd,dxyz->qxyz", C19, v)
        feq = W19[:, None, None, None] * rho * (1 + 3 * cu + 4.5 * cu ** 2 - 1.5 * (v ** 2).sum(axis=0))
        f = s + omega * (feq - s)
    return dict(f=f0, omega=omega, steps=steps), dict(f=f)


# ---------------------------------------------------------------- K04
def heat3d(n=16, steps=4, k=0.1, seed=5):
    """u' = u + k * (7-point Laplacian) on the interior, fixed faces, `steps` times."""
    rng = np.random.default_rng(seed)
    u0 = rng.standard_normal((n, n, n))
    u = u0.copy()
    for _ in range(steps):
        v = u.copy()
        v[1:-1, 1:-1, 1:-1] += k * (u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1]
                                    + u[1:-1, :-2, 1:-1] + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2]
                                    - 6 * u[1:-1, 1:-1, 1:-1])
        u = v
    return dict(u=u0, k=k, steps=steps), dict(u=u)


# ---------------------------------------------------------------- K05
def nbody(n=257, eps=0.05, seed=6):
    """a[i] = sum_j m[j] (x[j]-x[i]) / (|x[j]-x[i]|^2 + eps^2)^1.5 ; n is prime on purpose."""
    rng = np.random.default_rng(seed)
    x, m = rng.standard_normal((n, 3)), rng.random(n)
    d = x[None] - x[:, None]
    r = (d ** 2).sum(axis=2) + eps ** 2
    return dict(x=x, m=m, eps=eps), dict(a=np.einsum("j,ijd,ij->id", m, d, r ** -1.5))


# ---------------------------------------------------------------- K06
def histogram_scratch(nthr=64, m=37, nb=16, seed=7):
    """Thread t turns m samples into nb bins kept in a private array, then adds the touched bins to y[key[t], :]."""
    rng = np.random.default_rng(seed)
    x = rng.random((nthr, m))
    key = rng.integers(0, 5, nthr)
    y = np.zeros((5, nb))
    b = np.minimum((x * nb).astype(int), nb - 1)
    for t in range(nthr):
        s = np.zeros(nb)
        np.add.at(s, b[t], x[t])
        y[key[t]] += s
    return dict(x=x, key=key), dict(y=y)


# ---------------------------------------------------------------- K07
def block_reduce_submit(nblk=9, bs=64, seed=8):
    """Per block: s = sum over lanes of (active ? v : 0), c = number of active lanes.
    One lane submits s to out[dst[blk]], only if c > 0; blocks without an active lane must not touch out."""
    rng = np.random.default_rng(seed)
    v = rng.standard_normal((nblk, bs))
    act = rng.random((nblk, bs)) < 0.3
    act[4] = False
    act[7] = False
    dst = np.array([0, 1, 0, 2, 3, 1, 2, 3, 0])
    out = np.full(4, 100.0)
    for b in range(nblk):
        if act[b].any():
            out[dst[b]] += v[b][act[b]].sum()
    return dict(v=v, act=act, dst=dst), dict(out=out)


# ---------------------------------------------------------------- K08
def scan(n=1000, seed=9):
    """inclusive: s[i] = sum_{j<=i} x[j]; exclusive: e[0]=0; segmented by flags (restart where flag=1)."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-9, 10, n)
    f = (rng.random(n) < 0.05).astype(int)
    g = np.cumsum(f)
    s = np.cumsum(x)
    start = np.concatenate([[0], np.flatnonzero(f)])
    seg = s - np.where(g > 0, s[start[g]] - x[start[g]], 0)
    return dict(x=x, f=f), dict(s=s, e=np.concatenate([[0], s[:-1]]), seg=seg)


# ---------------------------------------------------------------- K09
def spmv(name="airfoil", seed=10):
    """y[i] = sum_{k=rp[i]}^{rp[i+1]-1} v[k] * x[ci[k]] ; one row is emptied, one column index repeats."""
    rng = np.random.default_rng(seed)
    with np.load(DATA / f"{name}.npz") as m:
        rp, ci, v = m["rp"], m["ci"], m["v"]
    n = len(rp) - 1
    d = int(rp[6] - rp[5])                          # empty row 5
    keep = np.r_[0:rp[5], rp[6]:rp[-1]]
    rp = rp.copy()
    rp[6:] -= d
    ci, v = ci[keep], v[keep]
    x = rng.standard_normal(n) + (1j * rng.standard_normal(n) if np.iscomplexobj(v) else 0)
    y = np.array([np.sum(v[a:b] * x[ci[a:b]]) for a, b in zip(rp[:-1], rp[1:])])
    return dict(rp=rp, ci=ci, v=v, x=x), dict(y=y)


# ---------------------------------------------------------------- K10
def batched_matmul(nb=500, m=9, k=7, n=5, seed=11):
    """C[b] = alpha * A[b] @ B[b] + beta * C[b] with small, non-square, non-power-of-two blocks."""
    rng = np.random.default_rng(seed)
    A, B, C = (rng.standard_normal(s) for s in ((nb, m, k), (nb, k, n), (nb, m, n)))
    return dict(A=A, B=B, C=C, alpha=1.5, beta=-0.5), dict(C=1.5 * A @ B - 0.5 * C)


# ---------------------------------------------------------------- K11
def cholesky_solve(n=24, seed=12):
    """In place: A = L L^T (lower triangle), then L y = b and L^T x = y."""
    rng = np.random.default_rng(seed)
    M = rng.standard_normal((n, n))
    A = M @ M.T + n * np.eye(n)
    b = rng.standard_normal(n)
    L = A.copy()
    for j in range(n):
        L[j, j] = np.sqrt(L[j, j] - (L[j, :j] ** 2).sum())
        for i in range(j + 1, n):
            L[i, j] = (L[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
    y = b.copy()
    for i in range(n):
        y[i] = (y[i] - L[i, :i] @ y[:i]) / L[i, i]
    x = y.copy()
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - L[i + 1:, i] @ x[i + 1:]) / L[i, i]
    return dict(A=A, b=b), dict(L=np.tril(L), x=x)


# ---------------------------------------------------------------- K12
def picture():
    with np.load(DATA / "camera.npz") as m:
        return m["img"].astype(np.float32) / 255


def harris(img=None, k=0.04):
    """Sobel gradients, 3x3 box sums of products, det - k trace^2; output smaller by 2 on each side."""
    g = picture() if img is None else img
    dx = (g[:-2, 2:] + 2 * g[1:-1, 2:] + g[2:, 2:] - g[:-2, :-2] - 2 * g[1:-1, :-2] - g[2:, :-2]) / 12
    dy = (g[2:, :-2] + 2 * g[2:, 1:-1] + g[2:, 2:] - g[:-2, :-2] - 2 * g[:-2, 1:-1] - g[:-2, 2:]) / 12

    def box(a):
        r = a[:-2] + a[1:-1] + a[2:]
        return r[:, :-2] + r[:, 1:-1] + r[:, 2:]
    sxx, sxy, syy = box(dx * dx), box(dx * dy), box(dy * dy)
    return dict(img=g, k=k), dict(h=sxx * syy - sxy ** 2 - k * (sxx + syy) ** 2)


# ---------------------------------------------------------------- self-checks
def rel(a, b):
    return float(np.abs(a - b).max() / (np.abs(b).max() + 1e-300))


def checks():
    i, o = fe_matrix()
    yield "K01 fe_matrix", i, o, rel(o["A"], fe_matrix_direct(i))
    i, o = fe_action()
    n, D = i["D"].shape[0], i["D"]
    I = np.eye(n)
    g = [np.kron(np.kron(D, I), I), np.kron(np.kron(I, D), I), np.kron(np.kron(I, I), D)]
    ref = [sum(g[a].T @ (i["G"][e, a, b].ravel() * (g[b] @ i["u"][e].ravel())) for a in range(3) for b in range(3))
           for e in range(len(i["u"]))]
    yield "K01 fe_action", i, o, rel(o["y"].reshape(len(ref), -1), np.array(ref))
    i, o = dg_advection()
    # mass conservation: integral of r is zero on the periodic line
    yield "K02 dg", i, o, float(abs((o["r"] * i["w"]).sum()) / np.abs(o["r"]).max())
    i, o = lbm_d3q19()
    m0, m1 = i["f"].sum(), o["f"].sum()
    p0, p1 = (np.einsum("qd,qxyz->d", C19, z["f"]) for z in (i, o))
    yield "K03 lbm", i, o, max(abs(m1 - m0) / m0, float(np.abs(p1 - p0).max()))
    i, o = heat3d()
    u = i["u"].copy()
    n = len(u)
    for _ in range(i["steps"]):
        v = u.copy()
        for x in range(1, n - 1):
            for y in range(1, n - 1):
                for z in range(1, n - 1):
                    v[x, y, z] = u[x, y, z] + i["k"] * (u[x + 1, y, z] + u[x - 1, y, z] + u[x, y + 1, z]
                                                         + u[x, y - 1, z] + u[x, y, z + 1] + u[x, y, z - 1]
                                                         - 6 * u[x, y, z])
        u = v
    yield "K04 heat3d", i, o, rel(o["u"], u)
    i, o = nbody()
    yield "K05 nbody", i, o, float(np.abs(i["m"] @ o["a"]).max() / np.abs(o["a"]).max())   # momentum
    i, o = histogram_scratch()
    yield "K06 histogram", i, o, abs(o["y"].sum() - i["x"].sum())
    i, o = block_reduce_submit()
    yield "K07 block_reduce", i, o, abs(o["out"].sum() - 400 - i["v"][i["act"]].sum())
    i, o = scan()
    t, seg = 0, []
    for x, f in zip(i["x"], i["f"]):
        t = x if f else t + x
        seg.append(t)
    yield "K08 scan", i, o, float(np.abs(np.array(seg) - o["seg"]).max())
    i, o = spmv()
    d = np.zeros((len(i["rp"]) - 1, len(i["x"])), i["v"].dtype)
    for r in range(len(d)):
        np.add.at(d[r], i["ci"][i["rp"][r]:i["rp"][r + 1]], i["v"][i["rp"][r]:i["rp"][r + 1]])
    yield "K09 spmv", i, o, rel(o["y"], d @ i["x"])
    i, o = batched_matmul()
    yield "K10 batched", i, o, rel(o["C"], 1.5 * np.einsum("bik,bkj->bij", i["A"], i["B"]) - 0.5 * i["C"])
    i, o = cholesky_solve()
    yield "K11 cholesky", i, o, max(rel(o["L"], np.linalg.cholesky(i["A"])), rel(i["A"] @ o["x"], i["b"]))
    i, o = harris()
    g = i["img"].astype(np.float64)
    r, c = 100, 200
    sx = sy = sxy = 0.0
    for a in range(r - 1, r + 2):
        for b in range(c - 1, c + 2):
            ddx = sum(w * (g[a + q, b + 1] - g[a + q, b - 1]) for q, w in ((-1, 1), (0, 2), (1, 1))) / 12
            ddy = sum(w * (g[a + 1, b + q] - g[a - 1, b + q]) for q, w in ((-1, 1), (0, 2), (1, 1))) / 12
            sx, sy, sxy = sx + ddx * ddx, sy + ddy * ddy, sxy + ddx * ddy
    ref = sx * sy - sxy ** 2 - i["k"] * (sx + sy) ** 2
    yield "K12 harris", i, o, abs(o["h"][r - 2, c - 2] - ref) / (abs(ref) + 1e-12)


if __name__ == "__main__":
    for name, i, o, d in checks():
        print(f"{name:18s} {d:9.2e}   " + "  ".join(f"{k}: shape {np.shape(v)} L1 {np.abs(v).sum():.10g}" for k, v in o.items()))
        if len(sys.argv) > 1:
            np.savez_compressed(f"{sys.argv[1]}/{name.replace(' ', '_')}.npz",
                                **{"in_" + k: v for k, v in i.items()}, **{"out_" + k: v for k, v in o.items()})
