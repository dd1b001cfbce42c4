"""The command line with good and bad input: exit status, what it says, and that nothing partial stays.

usage: run_cli.py HEDDLE [NAME]   (NAME: only tests whose name contains it)"""
import json
import os
import pathlib
import shutil
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


def test_strides(s):
    """loopy's test_c_target_strides_nonsquare: three axes, arrays in C and Fortran order in memory and in the file; wrong strides."""
    shapes = {"c": "m*k, k, 1", "f": "1, n, n*m", "wide": "m*k + 7, k, 1", "mixed": "1, n*k, n"}
    a = np.arange(2.0 * 3 * 5).reshape(2, 3, 5)
    body = "for [i, j, l] : 0 <= i < n and 0 <= j < m and 0 <= l < k { B[i, j, l] = 2.0 * A[i, j, l] }"
    for of_a in shapes:
        for of_b in shapes:
            s.write("t.heddle", f"kernel t(n, m, k : index; A : in f64[n, m, k] strides({shapes[of_a]}), "
                                f"B : out f64[n, m, k] strides({shapes[of_b]})) {{ {body} }}\n")
            s.save("A", np.asfortranarray(a) if of_b == "f" else a)
            s.good("run", "t.heddle", "--in", "A=A.npy", "--out", "B=B.npy", "--verify", "--cflag=-O0")
            assert (s.load("B") == 2 * a).all(), (of_a, of_b)
    (s.path / "B.npy").unlink()
    for wrong in ("1, 1, 1", "m, k, 1", "0, k, 1", "m*k - 1, k, 1", "1, n, n"):
        s.write("t.heddle", f"kernel t(n, m, k : index; A : in f64[n, m, k], B : out f64[n, m, k] strides({wrong})) {{ {body} }}\n")
        s.refused(1, ["strides of 'B'", "one place"], "run", "t.heddle", "--in", "A=A.npy", "--out", "B=B.npy", "--cflag=-O0")
    s.write("t.heddle", f"kernel t(n, m, k : index; A : in f64[n, m, k] strides(k, k, 1), B : out f64[n, m, k]) {{ {body} }}\n")
    s.refused(1, ["strides of A", "one place"], "run", "t.heddle", "--in", "A=A.npy", "--out", "B=B.npy")
    s.write("t.heddle", f"kernel t(n, m, k : index; A : in f64[n, m, k] strides(-k, k, 1), B : out f64[n, m, k]) {{ {body} }}\n")
    s.refused(1, ["stride 1 of A"], "run", "t.heddle", "--in", "A=A.npy", "--out", "B=B.npy")
    s.write("t.heddle", "kernel t(y : out f64) { temp t : f64[4, 4] strides(1, 1)\n  t[1, 2] = 1.0\n  y = t[1, 2] }\n")
    s.refused(1, ["t.heddle:1:", "strides of 't'", "one place"], "emit", "t.heddle", "--out", "c")


def test_separate_axes(s):
    """Arguments and temporaries of which an axis is an array for each entry, declared or by the step."""
    s.write("sep.heddle", "kernel sep(n : index; A : in f64[n, 3] pad(2, 0) separate(1), C : out f64[n, 3], "
                          "D : inout f64[2, n, 2] layout(1, 0, 2) separate(0)) {\n"
                          "  temp t : f64[n, 3] separate(1)\n"
                          "  for [i, j] : 0 <= i < n and 0 <= j < 3 { t[i, j] = A[i, j] }\n"
                          "  for [i] : 0 <= i < n {\n    for [j] : 0 <= j < 3 { C[i, j] = t[n-1-i, 2-j] }\n    D[1, i, 0] = D[0, i, 1]\n  }\n}\n"
                          "schedule s for sep {\n  layout C separate 1 interface\n}\n")
    a, d = np.arange(15.0).reshape(5, 3), 100 + np.arange(20.0).reshape(2, 5, 2)
    s.save("A", a)
    s.save("D", d)
    for options in ([], ["--schedule", "s"], ["--checked"], ["--interpret", "--schedule", "s"]):
        s.good("run", "sep.heddle", "--in", "A=A.npy", "--in", "D=D.npy", "--out", "C=C.npy", "--out", "D=E.npy", "--verify", "--repeat", 2, *options)
        assert (s.load("C") == a[::-1, ::-1]).all()
        e = d.copy()
        e[1, :, 0] = d[0, :, 1]
        assert (s.load("E") == e).all()
    s.write("bad.heddle", "kernel bad(n, m : index; A : inout f64[n, m] separate(1)) { A[0, 0] = 1.0 }\n")
    s.refused(1, ["axis 1 of 'A'", "constant"], "emit", "bad.heddle", "--out", "c")
    s.write("bad.heddle", "kernel bad(n : index; A : inout f64[n, 2] strides(2, 1) separate(1)) { A[0, 0] = 1.0 }\n")
    s.refused(1, ["bad.heddle:1:", "'separate'"], "emit", "bad.heddle", "--out", "c")


def test_names_of_the_host_part(s):
    s.write("n.heddle", "kernel n(m, A_bytes : index; A : in f64[m], status, failure : inout f64[m], A_bytes_1 : out f64[m]) {\n"
                        "  temp t : f64[m] in heap\n  for [i] : 0 <= i < m { t[i] = A[i] }\n"
                        "  for [i] : 0 <= i < m { status[i] = t[m-1-i]\n A_bytes_1[i] = 1.0 } }\n")
    words = ("run", "n.heddle", "--set", "A_bytes=1", "--in", "A=x.npy", "--in", "status=y.npy", "--in", "failure=y.npy")
    for option in ("--verify", "--checked"):
        s.good(*words, option, "--out", "status=z.npy")
        assert (s.load("z") == np.arange(10.0)[::-1]).all()


def test_extern(s):
    """The interpreter calls what compiled code links to."""
    s.write("e.heddle", "extern fn twice(f64) -> f64\nkernel inner(x : f64; y : out f64) { y = twice(x) }\n"
                        "kernel outer(x : f64; y : out f64) { call inner(x, y) }\n")
    s.write("twice.c", "double twice(double x) { return 2 * x; }\n")
    subprocess.run(["cc", "-fPIC", "-c", "twice.c"], cwd=s.path, check=True)
    for kernel in ("inner", "outer"):
        words = ("run", "e.heddle", "--kernel", kernel, "--set", "x=21")
        for options in ([], ["--interpret"], ["--verify"]):
            s.good(*words, "--out", "y=y.npy", "--cflag=twice.o", *options)
            assert s.load("y") == 42
            (s.path / "y.npy").unlink()
            s.refused(3, ["twice", "--cflag"], *words, "--out", "y=y.npy", *options)
    s.write("two.heddle", "kernel a(y : inout f64) {\n extern fn g(f64) -> f64\n y = g(y) }\n"
                          "kernel b(y : inout f64) {\n extern fn g(i32) -> f64\n call a(y)\n y = g(3) }\n")
    s.refused(1, ["two.heddle:", "g", "different types"], "emit", "two.heddle", "--kernel", "b", "--out", "c")


def test_extern_of_the_c_library(s):
    s.write("m.heddle", "extern fn tgamma(f64) -> f64\nextern fn fmodf(f32, f32) -> f32\n"
                        "kernel m(x : f64; y : out f64, z : out f32) { y = tgamma(x)\n z = fmodf(f32(x), 3.0) }\n")
    for option in ("--interpret", "--verify"):
        s.good("run", "m.heddle", "--set", "x=5", "--out", "y=y.npy", "--out", "z=z.npy", option)
        assert s.load("y") == 24 and s.load("z") == 2
    s.good("emit", "m.heddle", "--out", "c")
    for compiler in (["cc", "-std=c11"], ["c++", "-x", "c++", "-std=c++17"]):
        subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "m_host.c", "m_device.c"], cwd=s.path / "c", check=True)
    s.write("w.heddle", "extern fn tgamma(i32) -> f64\nkernel w(y : inout f64) { y = tgamma(3) }\n")
    s.refused(1, ["w.heddle:1:", "tgamma", "own types"], "emit", "w.heddle", "--out", "d")


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


def test_check_reports_every_schedule(s):
    """A refused schedule is a finding of its own: those behind it are looked at too."""
    s.write("many.heddle", "kernel many(n : index; x : inout f64[n]) { for [i] : 1 <= i < n { S: x[i] = x[i-1] } }\n"
                           "schedule first for many { reverse i }\nschedule second for many { split i by 4 }\n"
                           "schedule third for many { parallel i }\n")
    r = s.refused(1, ["many.heddle:2:", "another order", "many.heddle:4:", "iterations of loop i"], "check", "many.heddle")
    assert "many after second: all accesses are inside" in r.text
    rows = json.loads(s.run("check", "many.heddle", "--json").text)
    assert [row["errors"] for row in rows] == [0, 1, 0, 1]
    assert rows[3]["findings"][0]["kind"] == "race"
    assert s.run("check", "many.heddle", "--schedule", "second").status == 0
    s.refused(1, ["many.heddle:4:"], "check", "many.heddle", "--schedule", "third")


def test_check_steps_explain(s):
    assert "inside" in s.good("check", "axpy.heddle").text
    assert json.loads(s.good("check", "axpy.heddle", "--json").text)[0]["errors"] == 0
    assert "split" in s.good("steps").text
    assert "split" in s.good("steps", "split").text
    assert any(step["step"] == "tile" for step in json.loads(s.good("steps", "--json").text))
    assert "independent" in s.good("explain", "axpy.heddle").text
    assert "proved" in s.good("explain", "axpy.heddle", "--schedule", "wide").text


def test_stats(s):
    assert "arithmetic" not in s.good("stats", "axpy.heddle").text
    report = json.loads(s.good("stats", "axpy.heddle", "--json").text)
    kinds = {(o["kind"], o["operation"]): o["count"]["formula"] for o in report["operations"]}
    assert kinds == {("arithmetic", "add"): "n", ("arithmetic", "mul"): "n", ("fma pair", "fma pair"): "n"}, kinds
    s.write("c.heddle", "kernel c(n : index; x : in f64[2*n], y : out f64[n]) { for [i] : 0 <= i < n { y[i] = exp(x[2*i]) } }\n")
    report = json.loads(s.good("stats", "c.heddle", "--set", "n=5", "--json").text)
    kinds = {(o["kind"], o["operation"]): o["count"]["value"] for o in report["operations"]}
    assert kinds == {("call", "exp"): "5", ("index", "mul"): "5"}, kinds


REVERSED = """kernel k(n : index; x : in f64[n], y : out f64[n]) {
  temp a : f64[n]
  temp b : f64[n]
  temp c : f64[n]
  temp few : f64[4]
  for [i] : 0 <= i < n { a[i] = x[n - 1 - i] }
  for [i] : 0 <= i < n { b[i] = a[n - 1 - i] }
  for [i] : 0 <= i < n { c[i] = b[n - 1 - i] }
  for [i] : 0 <= i < 4 { few[i] = 1.0 }
  for [i] : 0 <= i < n { y[i] = c[n - 1 - i] + few[i mod 4] }
}
"""


def test_temporaries(s):
    s.write("k.heddle", REVERSED)
    text = s.good("stats", "k.heddle", "--set", "n=1000000").text
    assert "memory of a call: a + b" in text, text
    assert "= 16000000 bytes" in text and "24000000 if none shared" in text, text
    assert "its size depends on parameters" in text and "32 bytes fit the stack's 65536" in text, text
    assert "memory of a call: a + b" in s.good("explain", "k.heddle").text
    storage = json.loads(s.good("stats", "k.heddle", "--set", "n=8", "--json").text)["storage"]
    assert storage["workspace_bytes"] == 128 and storage["workspace_bytes_without_plan"] == 192, storage
    assert {t["name"]: t["space"] for t in storage["temporaries"]} == {"a": "heap", "b": "heap", "c": "heap", "few": "stack"}
    assert "memory of a call: max(a + b, a + few)" in s.good("stats", "k.heddle", "--stack-limit", "0").text
    s.good("emit", "k.heddle", "--out", "ours")
    assert sorted(p.name for p in (s.path / "ours").iterdir()) == ["heddle_runtime.h", "k.h", "k_device.c", "k_host.c"]
    s.good("emit", "k.heddle", "--out", "plain", "--allocator", "malloc")
    assert sorted(p.name for p in (s.path / "plain").iterdir()) == ["k.h", "k_device.c", "k_host.c"]
    for folder in ("ours", "plain"):
        subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fopenmp", "-shared", "-fPIC", "-o", "k.so",
                        f"{folder}/k_host.c", f"{folder}/k_device.c"], cwd=s.path, check=True)
    s.save("x", np.arange(100.0))
    s.good("run", "k.heddle", "--in", "x=x.npy", "--out", "y=y.npy", "--repeat", "3", "--stack-limit", "0")
    assert (np.load(s.path / "y.npy") == np.arange(100.0) + 1).all()


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


def test_text_that_is_none(s):
    """NUL bytes, wrong encodings, other line ends."""
    body = "kernel k(n : index; y : out f64[n]) {{{e}  for [i] : 0 <= i < n {{{e}    y[i] = {v}{e}  }}{e}}}{e}"
    for end in ("\r\n", "\n", "\r"):
        (s.path / "end.heddle").write_bytes(body.format(e=end, v="1.0").encode())
        assert "S0: y[i] = 1.0" in s.good("show", "end.heddle").text
    (s.path / "bom.heddle").write_bytes(b"\xef\xbb\xbf" + body.format(e="\n", v="1.0").encode())
    s.good("show", "bom.heddle")
    for bad, said in ((b"\0", "code 0"), (b"\xff", "0xff"), (b"1.0 # caf\xe9", "UTF-8"), (b"1.0 # \xed\xa0\x80", "UTF-8")):
        (s.path / "bad.heddle").write_bytes(body.format(e="\r\n", v="@").encode().replace(b"@", bad))
        s.refused(1, ["bad.heddle:3:", said], "show", "bad.heddle")
        json.loads(s.refused(1, [], "show", "bad.heddle", "--json").text)


def test_types_and_sets(s):
    def refuse(loop, value, *fragments):
        s.write("t.heddle", f"kernel k(n : index; y : out f64[n]) {{\n  for [i] : {loop} {{ y[i] = {value} }}\n}}\n")
        s.refused(1, ["t.heddle:2:", *fragments], "emit", "t.heddle", "--out", "c")
    refuse("0 <= i < n", "true", "f64", "bool")
    refuse("0 <= i < n", "c128(1.0, 2.0)", "c128")
    refuse("0 <= i", "1.0", "no upper bound")
    refuse("i < n", "1.0", "no lower bound")
    refuse("0 <= i*i < n", "1.0", "i")
    refuse("0 <= i < n and i < " + "9" * 40, "1.0", "64 bits")
    s.refused(1, ["9" * 40, "index"], "run", "axpy.heddle", "--set", "n=" + "9" * 40)
    for formula in ("0 <= i < n and i < -n - 1", "0 <= i and i < 0", "0 <= i < n and i = 7 and i = 8"):
        s.write("empty.heddle", f"kernel k(n : index; y : inout f64[n]) {{ for [i] : {formula} {{ y[i] = 2.0 }} }}\n")
        s.good("run", "empty.heddle", "--in", "y=y.npy", "--out", "y=z.npy", "--verify")
        assert (s.load("z") == 1).all()


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
    s.refused(1, ["directory"], "run", "axpy.heddle", "--set", "a=2", "--in", "x=.", "--in", "y=y.npy")
    (s.path / "folder.npy").mkdir()
    s.refused(3, ["folder.npy", "directory"], *RUN, "--out", "y=folder.npy")
    s.refused(3, ["x.npy", "no folder"], "emit", "axpy.heddle", "--out", "x.npy")


def test_permissions(s):
    """Files that may not be read, folders that may not be written; root becomes nobody for it."""
    drop = ()
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            return
        drop = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        # what nobody needs to reach the program and the folder
        program = s.path / "program"
        shutil.copy(s.heddle, program)
        program.chmod(0o755)
        s.heddle = str(program)
        s.path.chmod(0o777)
    s.write("hidden.heddle", AXPY)
    (s.path / "hidden.heddle").chmod(0)
    (s.path / "locked").mkdir()
    (s.path / "locked").chmod(0o555)
    s.refused(1, ["hidden.heddle", "Permission denied"], "show", "hidden.heddle", prefix=drop)
    s.refused(3, ["locked", "Permission denied"], *RUN, "--interpret", "--out", "y=locked/y.npy", prefix=drop)
    s.refused(3, ["locked", "Permission denied"], "emit", "axpy.heddle", "--out", "locked/c", prefix=drop)
    s.refused(3, ["locked", "Permission denied"], "emit", "axpy.heddle", "--out", "locked", prefix=drop)
    s.refused(3, ["locked", "Permission denied"], "show", "axpy.heddle", "--out", "locked/t", prefix=drop)


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
    huge = whole[:6] + bytes([2, 0]) + (2**32 - 1).to_bytes(4, "little") + whole[10:]
    (s.path / "x.npy").write_bytes(huge)
    s.refused(1, ["x.npy", "header"], *RUN, "--out", "y=z.npy")
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
    if not shutil.which("nvidia-smi"):
        s.refused(3, ["no CUDA device"], *RUN, "--device", "cuda")
    s.refused(2, ["--device", "tpu"], *RUN, "--device", "tpu")
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


def test_small_file_system(s):
    """A file system of 64 KiB fills up: nothing stays on it. Only where the test may mount one."""
    (s.path / "small").mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", "small"], cwd=s.path, capture_output=True).returncode != 0:
        return
    try:
        s.save("x", np.zeros(100000))
        s.save("y", np.zeros(100000))
        s.refused(3, ["small/z.npy", "No space left"], *RUN, "--interpret", "--out", "y=small/z.npy")
        s.write("big.heddle", "kernel big(n : index; y : inout f64[n]) {\n" + "  y[0] += 1.0\n" * 5000 + "}\n")
        s.refused(3, ["small", "No space left"], "emit", "big.heddle", "--out", "small/new/deep")
        s.refused(3, ["small", "No space left"], "show", "big.heddle", "--out", "small/shown.heddle")
        (s.path / "small/fill").write_bytes(bytes(40000))
        s.refused(3, ["No space left"], "run", "big.heddle", "--in", "y=y.npy", env={"TMPDIR": str(s.path / "small")})
    finally:
        subprocess.run(["umount", "small"], cwd=s.path, check=True)


def test_cache(s):
    """A second run is answered from disk; entries are listed, explained, verified, cleared."""
    env = {"HEDDLE_CACHE": "", "HEDDLE_CACHE_DIR": str(s.path / "cache")}
    cache = lambda *words: s.good("cache", *words, env=env).text
    assert "0 entries" in cache("list")
    for options in ([], ["--schedule", "wide"], ["--cflag=-O1"]):
        for _ in range(2):
            s.good(*RUN, "--out", "y=z.npy", "--verify", *options, env=env)
            assert (s.load("z") == 2 * np.arange(10.0) + 1).all()
    listed = json.loads(cache("list", "--json"))
    assert len(listed["entries"]) == 3 and listed["bytes"] == sum(e["bytes"] for e in listed["entries"])
    assert all(e["title"] == "axpy" for e in listed["entries"])
    assert cache("list").count("axpy") == 3
    ids = {("wide" if "HEDDLE_OMP(parallel" in e["key"]["text"] else "O1" if "-O1" in e["key"]["options"] else "plain"): e["id"] for e in listed["entries"]}
    assert "'text', line" in cache("explain", ids["plain"][:12], ids["wide"])
    assert "'options', line" in cache("explain", ids["plain"], ids["O1"]) and "-O1" in cache("explain", ids["plain"], ids["O1"])
    assert "the same entry" in cache("explain", ids["plain"], ids["plain"])
    assert "-march=native" in cache("explain", ids["plain"])
    s.refused(1, ["no entry 'xyz'"], "cache", "explain", "xyz", env=env)
    s.refused(1, ["several entries"], "cache", "explain", "", env=env)
    s.refused(2, ["cache"], "cache", env=env)
    assert "3 entries sound, 0 damaged" in cache("verify")
    file = s.path / "cache" / ids["plain"][:2] / ids["plain"]
    file.write_bytes(file.read_bytes()[:-1])
    assert "damaged" in cache("list")
    s.good(*RUN, "--out", "y=z.npy", env=env)  # replaces it
    assert "3 entries sound, 0 damaged" in cache("verify")
    file.write_bytes(file.read_bytes()[:-1])
    result = s.run("cache", "verify", env=env)
    assert result.status == 1 and ids["plain"] in result.err and "2 entries sound, 1 damaged" in result.text and not file.exists()
    assert "2 entries removed" in cache("clear")
    assert "0 entries" in cache("list")
    (s.path / "cache").chmod(0o777)
    assert "warning: compiled code is not kept on disk" in s.good(*RUN, "--out", "y=z.npy", env=env).err
    s.refused(3, ["written by others"], "cache", "list", env=env)
    s.refused(1, ["no cache folder"], "cache", "clear", env={"HEDDLE_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": ""})


def test_closed_pipe(s):
    """heddle show … | head -1: the reader goes first."""
    s.write("long.heddle", "kernel long(y : inout f64) {\n" + "  y += 1.0\n" * 20000 + "}\n")
    done = subprocess.run(["bash", "-c", f"'{s.heddle}' show long.heddle | head -1; exit ${{PIPESTATUS[0]}}"], cwd=s.path, capture_output=True)
    assert done.stdout == b"kernel long(y : inout f64)\n"
    assert done.returncode == 141 and done.stderr == b"", f"{done.returncode} {done.stderr}"
    done = subprocess.run(["bash", "-c", f"trap '' PIPE; '{s.heddle}' show long.heddle | head -1; exit ${{PIPESTATUS[0]}}"], cwd=s.path,
                          capture_output=True)
    assert done.returncode == 3 and b"standard output" in done.stderr, f"{done.returncode} {done.stderr}"


def test_sizes_beyond_64_bits(s):
    s.write("two.heddle", "kernel two(n, m : index; y : out f64[n, m]) { for [i, j] : 0 <= i < n and 0 <= j < m { y[i, j] = 1.0 } }\n")
    s.write("flat.heddle", "kernel flat(n, m : index; y : out f64[n*m]) { y[0] = 1.0 }\n")
    s.write("inner.heddle", "kernel inner(n, m : index; y : out f64) { temp t : f64[n, m] in heap\n  for [i] : 0 <= i < 2 { t[i, i] = 1.0 }\n"
                            "  y = t[1, 1] }\n")
    sizes = ("--set", "n=4294967296", "--set", "m=4294967296")
    for option in ([], ["--interpret"], ["--checked"]):
        s.refused(3, ["no memory", "4294967296"], "run", "two.heddle", *sizes, "--out", "y=z.npy", *option)
        s.refused(1, ["n*m", "64 bits"], "run", "flat.heddle", *sizes, "--out", "y=z.npy", *option)
        s.refused(3, ["memory"], "run", "inner.heddle", *sizes, "--out", "y=z.npy", *option)


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


def test_large_file(s):
    """10 MB of text: read in time that grows with it, and refused at the right line."""
    line = "  y[0] += 1.0  # " + "x" * 9980 + "\n"
    text = "kernel large(y : inout f64[1]) {\n" + line * 1000
    s.write("large.heddle", text + "}\n")
    s.good("show", "large.heddle")
    s.write("large.heddle", text)
    s.refused(1, ["large.heddle:1002:", "end of the file"], "show", "large.heddle")
    (s.path / "zeros.heddle").write_bytes(bytes(10_000_000))
    s.refused(1, ["zeros.heddle:1:1", "code 0"], "show", "zeros.heddle")
    s.write("one.heddle", "x" * 10_000_000)
    assert len(s.refused(1, ["one.heddle:1:1"], "show", "one.heddle").err) < 2000
    s.write("open.heddle", "kernel k(y : out f64) { y = " + "(" * 10_000_000)
    s.refused(1, ["open.heddle:1:", "200"], "show", "open.heddle")


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
