"""The benchmarks' work done by loopy: prints the seconds from kernel description to C text (the import is not counted but for axpy).

usage: loopy_peer.py WORK COUNT     WORK: axpy, chain, rows, nests, square, rules, table"""
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")


def kernel(lp, work, count):
    opts = dict(target=lp.CTarget(), lang_version=(2018, 2), name="work")
    if work == "axpy":
        return lp.make_kernel("{ [i] : 0 <= i < n }", "y[i] = y[i] + a*x[i]",
                              [lp.GlobalArg("x,y", np.float64, shape="n"), lp.ValueArg("a", np.float64), ...], **opts)
    if work == "chain":
        domains = [f"{{ [i{k}, j{k}] : 0 <= i{k} < n and 0 <= j{k} < m }}" for k in range(count)]
        body = "\n".join(f"a{k + 1}[i{k}, j{k}] = a{k}[i{k}, j{k}] + 1.0 {{id=s{k}{f', dep=s{k - 1}' if k else ''}}}" for k in range(count))
        arrays = [lp.GlobalArg(f"a{k}", np.float64, shape="n,m") for k in range(count + 1)]
        return lp.make_kernel(domains, body, [*arrays, ...], **opts)
    if work == "rows":
        body = "\n".join(f"a[{k + 1}, j, i] = a[{k}, j, i] + 1.0 {{id=s{k}{f', dep=s{k - 1}' if k else ''}}}" for k in range(count))
        return lp.make_kernel("{ [i, j] : 0 <= i < n and 0 <= j < m }", body,
                              [lp.GlobalArg("a", np.float64, shape=f"{count + 1},m,n"), ...], **opts)
    if work == "nests":
        domains = [f"{{ [i{k}, j{k}] : 0 <= i{k} < n and 0 <= j{k} < m }}" for k in range(count)]
        body = "\n".join(f"a{k}[i{k}, j{k}] = 2.0*a{k}[i{k}, j{k}] {{id=s{k}}}" for k in range(count))
        arrays = [lp.GlobalArg(f"a{k}", np.float64, shape="n,m") for k in range(count)]
        return lp.make_kernel(domains, body, [*arrays, ...], **opts)
    if work == "square":
        k = lp.make_kernel(f"{{ [i, j] : 0 <= i, j < {count} }}", "y[i] = y[i] + a[i, j]*x[j]",
                           [lp.GlobalArg("a", np.float64, shape=(count, count)), lp.GlobalArg("x,y", np.float64, shape=count)], **opts)
        return lp.tag_inames(k, "i:unr,j:unr")
    if work == "table":
        return lp.make_kernel(f"{{ [i] : 0 <= i < {count} }}", "y[i] = w[i]",
                              [lp.GlobalArg("y", np.float64, shape=count),
                               lp.TemporaryVariable("w", np.float64, shape=(count,), initializer=1.0/np.arange(1, count + 1), read_only=True,
                                                    address_space=lp.AddressSpace.GLOBAL)], **opts)
    if work == "rules":
        body = "f0(i, j) := a[i, j]\n" + "\n".join(f"f{k}(i, j) := f{k - 1}(i, j)*0.5 + {k}.0" for k in range(1, count + 1))
        return lp.make_kernel("{ [i, j] : 0 <= i < n and 0 <= j < m }", body + f"\nb[i, j] = f{count}(i, j)",
                              [lp.GlobalArg("a,b", np.float64, shape="n,m"), ...], **opts)
    sys.exit(f"unknown work: {work}")


def main(work, count):
    import loopy as lp
    lp.set_caching_enabled(False)
    start = time.perf_counter()
    text = lp.generate_code_v2(kernel(lp, work, count)).device_code()
    assert "for" in text or work == "square"
    print(f"{time.perf_counter() - start:.6f}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
