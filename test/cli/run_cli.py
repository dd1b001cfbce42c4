"""The command line with good and bad input: exit status, what it says, and that nothing partial stays.

usage: run_cli.py HEDDLE [NAME]   (NAME: only tests whose name contains it)"""
import json
import os
import pathlib
import subprocess
import sys
import time
import traceback

import numpy as np

from harness import AXPY, scratch

RUN = ("run", "axpy.heddle", "--set", "a=2", "--in", "x=x.npy", "--in", "y=y.npy")


# ---- what works

def test_run(s):
    s.good(*RUN, "--out", "y=z.npy", "--verify")
    assert (s.load("z") == 2 * np.arange(10.0) + 1).all()


def test_run_scheduled_checked_interpreted(s):
    for options in (["--schedule", "wide"], ["--scheduled"], ["--checked"], ["--interpret"], ["--schedule", "wide", "--interpret"], ["--no-openmp"]):
        s.good(*RUN, *options, "--out", "y=z.npy")
        assert (s.load("z") == 2 * np.arange(10.0) + 1).all()


def test_run_json_and_repeat(s):
    report = json.loads(s.good(*RUN, "--repeat", 5, "--json", "--out", "y=z.npy").text)
    assert len(report["seconds"]["all"]) == 5
    assert report["seconds"]["min"] <= report["seconds"]["median"] <= report["seconds"]["max"]
    assert report["sizes"] == {"n": 10}
    assert report["outputs"]["y"] == {"type": "f64", "shape": [10], "file": "z.npy"}
    assert (s.load("z") == 2 * np.arange(10.0) + 1).all(), "repeating changed the result"


def test_run_pipes(s):
    result = s.good("run", "axpy.heddle", "--set", "a=2", "--in", "x=-", "--in", "y=y.npy", "--out", "y=-",
                    stdin=(s.path / "x.npy").read_bytes())
    (s.path / "piped.npy").write_bytes(result.out)
    assert (s.load("piped") == 2 * np.arange(10.0) + 1).all()
    assert "axpy" in result.err
    assert "axpy" in s.good("show", "-", stdin=AXPY.encode()).text


def test_run_in_place(s):
    s.good(*RUN, "--out", "y=y.npy")
    assert (s.load("y") == 2 * np.arange(10.0) + 1).all()


def test_run_fortran_order_and_missing_output(s):
    s.write("t.heddle", "kernel t(n, m : index; A : in f32[n, m], B : out f32[m, n]) {\n"
                        "  for [i, j] : 0 <= i < n and 0 <= j < m { B[j, i] = A[i, j] } }\n")
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    s.save("A", np.asfortranarray(a))
    s.good("run", "t.heddle", "--in", "A=A.npy", "--out", "B=B.npy")
    assert (s.load("B") == a.T).all() and s.load("B").dtype == np.float32


def test_every_type_round_trips(s):
    for code, name in dict(i1="i8", i2="i16", i4="i32", i8="i64", u1="u8", u2="u16", u4="u32", u8="u64", f4="f32", f8="f64", c8="c64",
                           c16="c128", b1="bool").items():
        s.write("c.heddle", f"kernel c(n : index; x : in {name}[n], y : out {name}[n]) {{ for [i] : 0 <= i < n {{ y[i] = x[i] }} }}\n")
        x = np.array([0, 1, 100], dtype=code)
        s.save("x", x)
        s.good("run", "c.heddle", "--in", "x=x.npy", "--out", "y=y.npy", "--interpret")
        y = s.load("y")
        assert y.dtype == x.dtype and (y == x).all(), name


def test_scalars(s):
    s.write("s.heddle", "kernel s(i : i32, f : f32, z : c128, b : bool; y : out c128) { y = z * f + (b ? 1.0 : 0.0) + f64(i) }\n")
    s.good("run", "s.heddle", "--set", "i=-3", "--set", "f=0.5", "--set", "z=1-2j", "--set", "b=true", "--out", "y=y.npy", "--interpret")
    assert s.load("y") == (1 - 2j) * 0.5 + 1 - 3


def test_layouts(s):
    s.write("l.heddle", "kernel l(n, m : index; A : in f64[n, m] layout(1, 0), B : out f64[n, m] pad(0, 3), C : out f64[n, 2] separate(1)) {\n"
                        "  for [i, j] : 0 <= i < n and 0 <= j < m { B[i, j] = 2.0 * A[i, j] }\n"
                        "  for [i] : 0 <= i < n { C[i, 0] = A[i, 0]\n C[i, 1] = A[i, 1] }\n}\n")
    a = np.arange(12.0).reshape(3, 4)
    s.save("A", a)
    s.good("run", "l.heddle", "--in", "A=A.npy", "--out", "B=B.npy", "--out", "C=C.npy", "--verify", "--repeat", 3)
    assert (s.load("B") == 2 * a).all() and (s.load("C") == a[:, :2]).all()


def test_extern(s):
    s.write("e.heddle", "extern fn twice(f64) -> f64\nkernel e(x : f64; y : out f64) { y = twice(x) }\n")
    s.write("twice.c", "double twice(double x) { return 2 * x; }\n")
    subprocess.run(["cc", "-fPIC", "-c", "twice.c"], cwd=s.path, check=True)
    s.good("run", "e.heddle", "--set", "x=21", "--out", "y=y.npy", "--cflag=twice.o")
    assert s.load("y") == 42
    s.refused(3, ["twice"], "run", "e.heddle", "--set", "x=21", "--out", "y=z.npy", "--interpret")
    s.refused(3, ["twice"], "run", "e.heddle", "--set", "x=21", "--out", "y=z.npy")


def test_emit(s):
    s.good("emit", "axpy.heddle", "--out", "c/deep")
    assert {"c/deep/axpy.h", "c/deep/axpy_host.c", "c/deep/axpy_device.c"} <= set(s.files())
    first = (s.path / "c/deep/axpy_device.c").read_text()
    s.good("emit", "axpy.heddle", "--out", "c/deep")
    assert (s.path / "c/deep/axpy_device.c").read_text() == first, "the text changes from run to run"
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fopenmp", "-c", "axpy_host.c", "axpy_device.c"],
                   cwd=s.path / "c/deep", check=True)
    assert "axpy" in s.good("emit", "axpy.heddle").text
    assert json.loads(s.good("emit", "axpy.heddle", "--json", "--out", "d").text)["files"]


def test_show(s):
    for what in ("kernel", "tree", "code", "dependences"):
        assert s.good("show", "axpy.heddle", "--what", what).text
        json.loads(s.good("show", "axpy.heddle", "--what", what, "--json").text)
    assert "split i by 4" in s.good("show", "axpy.heddle", "--what", "script", "--schedule", "wide").text
    assert json.loads(s.good("show", "axpy.heddle", "--what", "script", "--schedule", "wide", "--json").text)["steps"]
    for what in ("tree", "dependences"):
        assert s.good("show", "axpy.heddle", "--what", what, "--format", "dot").text.startswith("digraph")
        svg = s.good("show", "axpy.heddle", "--what", what, "--format", "svg").text
        assert svg.startswith("<svg") and svg.endswith("</svg>\n")
    s.good("show", "axpy.heddle", "--out", "shown.heddle")
    assert s.good("show", "shown.heddle").text == (s.path / "shown.heddle").read_text()


def test_check_steps_explain(s):
    assert "inside" in s.good("check", "axpy.heddle").text
    assert json.loads(s.good("check", "axpy.heddle", "--json").text)[0]["errors"] == 0
    assert "split" in s.good("steps").text
    assert "split" in s.good("steps", "split").text
    assert any(step["step"] == "tile" for step in json.loads(s.good("steps", "--json").text))
    assert "independent" in s.good("explain", "axpy.heddle").text
    assert "proved" in s.good("explain", "axpy.heddle", "--schedule", "wide").text


def test_help(s):
    assert "Exit status" in s.good("--help").text
    for command in ("check", "emit", "run", "show", "steps", "explain", "stats"):
        assert "--json" in s.good(command, "--help").text
    assert s.good("--version").text.startswith("heddle")


# ---- what is refused: 1 wrong input

def test_syntax(s):
    s.write("bad.heddle", "kernel k(n : index) {\n  for [i] : 0 <= i < { }\n}\n")
    r = s.refused(1, ["bad.heddle:2:", "error:", "^"], "check", "bad.heddle")
    assert r.out == b""
    s.refused(1, ["bad.heddle:2:"], "emit", "bad.heddle", "--out", "c")
    error = json.loads(s.refused(1, [], "check", "bad.heddle", "--json").text)["error"]
    assert error["place"]["line"] == 2 and error["status"] == 1


def test_broken_files(s):
    for name, text in dict(empty="", binary="\x00\x01\x02", brace="kernel k() {", words="hello world", latin="kernel \xe9() { }").items():
        (s.path / f"{name}.heddle").write_bytes(text.encode("latin-1"))
        s.refused(1, ["error"], "show", f"{name}.heddle")


def test_unknown_names(s):
    s.refused(1, ["nosuch", "axpy"], "show", "axpy.heddle", "--kernel", "nosuch")
    s.refused(1, ["nosuch", "wide"], "show", "axpy.heddle", "--schedule", "nosuch")
    s.refused(1, ["nosuch"], "steps", "nosuch")
    s.refused(1, ["q"], *RUN, "--set", "q=1")
    s.refused(1, ["q", "x"], *RUN, "--in", "q=x.npy")
    s.refused(1, ["q"], *RUN, "--out", "q=q.npy")
    s.write("u.heddle", "kernel k(n : index; y : out f64[n]) { for [i] : 0 <= i < n { y[i] = missing[i] } }\n")
    s.refused(1, ["u.heddle:1:", "missing"], "check", "u.heddle")


def test_unreadable(s):
    s.refused(1, ["nosuch.heddle", "No such file"], "show", "nosuch.heddle")
    s.refused(1, ["nosuch.npy"], "run", "axpy.heddle", "--set", "a=2", "--in", "x=nosuch.npy", "--in", "y=y.npy")
    s.refused(1, ["directory"], "show", ".")
    if os.geteuid() != 0:
        (s.path / "axpy.heddle").chmod(0)
        s.refused(1, ["Permission denied"], "show", "axpy.heddle")


def test_wrong_npy(s):
    def refuse(array, *fragments):
        s.save("x", array)
        s.refused(1, fragments, *RUN, "--out", "y=z.npy")
    refuse(np.arange(10, dtype=np.float32), "x is f64", "f32")
    refuse(np.zeros((2, 5)), "1 dimension", "2")
    refuse(np.zeros(11), "f64[")
    refuse(np.arange(10.0).astype(">f8"), "x.npy", "big endian")
    refuse(np.array([None] * 10), "objects")
    refuse(np.zeros(10, dtype=np.float16), "f2")
    good = np.arange(10.0)
    s.save("x", good)
    whole = (s.path / "x.npy").read_bytes()
    for length in (0, 5, 30, len(whole) - 1):
        (s.path / "x.npy").write_bytes(whole[:length])
        s.refused(1, ["x.npy"], *RUN, "--out", "y=z.npy")
    (s.path / "x.npy").write_bytes(b"not numpy at all")
    s.refused(1, ["no .npy file"], *RUN, "--out", "y=z.npy")


def test_wrong_values(s):
    s.refused(1, ["abc", "f64"], "run", "axpy.heddle", "--set", "a=abc", "--in", "x=x.npy", "--in", "y=y.npy")
    s.refused(1, ["n", "index"], *RUN, "--set", "n=1.5")
    s.refused(1, ["n=3", "f64[3]"], *RUN, "--set", "n=3")
    s.refused(1, ["size n"], "run", "axpy.heddle", "--set", "a=2")
    s.refused(1, ["a"], "run", "axpy.heddle", "--in", "x=x.npy", "--in", "y=y.npy")
    s.refused(1, ["x", "array"], "run", "axpy.heddle", "--set", "x=1")
    s.refused(1, ["only read"], *RUN, "--out", "x=z.npy")
    s.refused(1, ["cuda", "not built"], *RUN, "--device", "cuda")
    s.refused(1, ["tpu", "unknown"], *RUN, "--device", "tpu")
    s.write("w.heddle", "kernel w(n : index; y : out f64[n]) where n >= 5 { for [i] : 0 <= i < n { y[i] = 1.0 } }\n")
    s.refused(1, ["n >= 5", "n=3"], "run", "w.heddle", "--set", "n=3")


def test_refused_schedule(s):
    s.write("r.heddle", "kernel r(n : index; a : inout f64[n]) { for [i] : 1 <= i < n { step: a[i] = a[i-1] + 1.0 } }\n"
                        "schedule wrong for r {\n  parallel i\n}\n")
    for words in (["show"], ["emit", "--out", "c"], ["run", "--set", "n=4"]):
        s.refused(1, ["r.heddle:3:", "parallel i", "step("], words[0], "r.heddle", "--schedule", "wrong", *words[1:])
    assert "refused" in s.refused(1, [], "explain", "r.heddle", "--schedule", "wrong").text


def test_out_of_bounds(s):
    s.write("o.heddle", "kernel o(n : index; a : inout f64[n]) { for [i] : 0 <= i < n { step: a[i] = a[i+1] } }\n")
    r = s.refused(1, ["a", "error"], "check", "o.heddle")
    assert "1 error" in r.text
    assert json.loads(s.run("check", "o.heddle", "--json").text)[0]["findings"][0]["kind"] == "out-of-bounds"


# ---- 2 wrong usage

def test_usage(s):
    s.refused(2, ["error"], )
    s.refused(2, ["error"], "frobnicate")
    s.refused(2, ["--nosuch"], "show", "axpy.heddle", "--nosuch")
    s.refused(2, ["FILE"], "show")
    s.refused(2, ["kernl"], "show", "axpy.heddle", "--what", "kernl")
    s.refused(2, ["dot"], "show", "axpy.heddle", "--what", "code", "--format", "dot")
    s.refused(2, ["NAME=VALUE"], *RUN, "--set", "n")
    s.refused(2, ["twice"], *RUN, "--set", "a=3")
    s.refused(2, ["repeat"], *RUN, "--repeat", "0")
    s.refused(2, ["standard input"], "run", "axpy.heddle", "--set", "a=2", "--in", "x=-", "--in", "y=-")
    s.refused(2, ["standard output"], *RUN, "--json", "--out", "y=-")
    s.write("two.heddle", "kernel two(y, z : out f64[3]) { y[0] = 1.0\n z[0] = 1.0 }\n")
    s.refused(2, ["both", "z.npy"], "run", "two.heddle", "--out", "y=z.npy", "--out", "z=z.npy")


# ---- 3 failure at run time

def test_missing_compiler(s):
    s.refused(3, ["no C compiler", "/nowhere/cc"], *RUN, "--out", "y=z.npy", env={"HEDDLE_CC": "/nowhere/cc"})
    s.refused(3, ["nosuchcc"], *RUN, "--out", "y=z.npy", "--cc", "nosuchcc")
    s.refused(3, ["cc, gcc, clang"], *RUN, "--out", "y=z.npy", env={"HEDDLE_CC": "", "CC": "", "PATH": "/nowhere"})
    s.refused(3, ["failed with status 1"], *RUN, "--out", "y=z.npy", "--cc", "false")


def test_full_disk(s):
    s.refused(3, ["/dev/full", "No space left"], *RUN, "--out", "y=/dev/full")
    limited = ("bash", "-c", 'trap "" XFSZ; ulimit -f 8; exec "$@"', "limited")
    s.write("big.heddle", "kernel big(n : index; y : inout f64[n]) {\n" + "  y[0] += 1.0\n" * 1000 + "}\n")
    s.save("x", np.zeros(100000))
    s.save("y", np.zeros(100000))
    s.refused(3, ["z.npy", "File too large"], *RUN, "--interpret", "--out", "y=z.npy", prefix=limited)
    for folder in ("new", "new/deep"):
        s.refused(3, ["File too large"], "emit", "big.heddle", "--out", folder, prefix=limited)
    with open("/dev/full", "wb") as full:
        s.refused(3, ["standard output"], "show", "axpy.heddle", stdout=full)
    s.refused(3, ["nowhere"], *RUN, "--out", "y=/nowhere/z.npy")
    s.write("plain", "")
    s.refused(3, ["plain"], "emit", "axpy.heddle", "--out", "plain/sub")


def test_run_time_errors(s):
    s.write("g.heddle", "kernel g(n, m : index; x : in f64[n], p : in i64[m], y : out f64[m]) {\n"
                        "  for [i] : 0 <= i < m { gather: y[i] = x[p[i]] } }\n")
    s.save("p", np.array([0, 99]))
    words = ("run", "g.heddle", "--in", "x=x.npy", "--in", "p=p.npy", "--out", "y=z.npy")
    s.refused(3, ["gather", "x[99]"], *words, "--interpret")
    s.refused(3, ["gather"], *words, "--checked")
    s.write("h.heddle", "kernel h(n : index; y : out f64[n, n]) { }\n")
    s.refused(3, ["no memory"], "run", "h.heddle", "--set", "n=4000000000")


# ---- size and shape of input

def test_deep_nest(s):
    loops = "".join(f"for [l{k}] : 0 <= l{k} < 2 {{ " if k % 10 == 0 else f"for [l{k}] : 0 <= l{k} < 1 {{ " for k in range(100))
    s.write("deep.heddle", "kernel deep(y : inout i64[1]) { " + loops + "y[0] += 1 " + "} " * 100 + "}\n")
    s.save("c", np.zeros(1, dtype=np.int64))
    s.good("run", "deep.heddle", "--in", "y=c.npy", "--out", "y=c.npy", "--interpret")
    assert s.load("c")[0] == 1024
    s.good("run", "deep.heddle", "--in", "y=c.npy", "--out", "y=c.npy")
    assert s.load("c")[0] == 2048
    s.good("show", "deep.heddle", "--what", "tree", "--format", "svg")


def test_long_names(s):
    name = "x" * 300
    s.write("long.heddle", f"kernel {name}(n : index; {name}a : out f64[n]) {{ for [{name}i] : 0 <= {name}i < n {{ "
                           f"{name}s: {name}a[{name}i] = 1.0 }} }}\n")
    s.good("run", "long.heddle", "--set", "n=3", "--out", f"{name}a=z.npy")
    assert (s.load("z") == 1).all()
    s.refused(3, ["File name too long"], "run", "long.heddle", "--set", "n=3", "--out", f"{name}a={name}.npy", "--interpret")
    s.good("emit", "long.heddle", "--out", "c")


def test_start_time(s):
    """The whole process from file to C; the limit leaves room for slow machines and debug builds."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        s.good("emit", "axpy.heddle")
        times.append(time.perf_counter() - start)
    assert min(times) < 1.0, f"{min(times):.3f} s"


def main(heddle, only=""):
    tests = [(name, f) for name, f in globals().items() if name.startswith("test_") and only in name]
    failed = []
    for name, f in tests:
        with scratch(heddle) as s:
            try:
                f(s)
                print(f"ok    {name}")
            except Exception as error:  # a test may fail in any way
                failed.append(name)
                where = traceback.extract_tb(error.__traceback__)
                line = next((t.lineno for t in reversed(where) if t.filename.endswith("run_cli.py")), 0)
                print(f"FAIL  {name} (line {line}): {error}")
    if not tests:
        sys.exit(f"no test of that name: {only}")
    print(f"{len(tests) - len(failed)} of {len(tests)} passed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()), *sys.argv[2:])
