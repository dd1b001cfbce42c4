"""Running the heddle command in a scratch folder and looking at what it said and left behind."""
import contextlib
import os
import pathlib
import subprocess
import tempfile

import numpy as np

AXPY = """# y = a*x + y
kernel axpy(n : index; a : f64; x : in f64[n], y : inout f64[n]) {
  for [i] : 0 <= i < n { update: y[i] = a * x[i] + y[i] }
}
schedule wide for axpy {
  split i by 4 into io, ii
  parallel io
}
"""


class Result:
    def __init__(self, done):
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr.decode("utf-8", "replace")

    @property
    def text(self):
        return self.out.decode("utf-8", "replace")


class Scratch:
    """A folder with axpy.heddle and inputs for it."""

    def __init__(self, heddle, folder):
        self.heddle = heddle
        self.path = pathlib.Path(folder)
        self.write("axpy.heddle", AXPY)
        self.save("x", np.arange(10.0))
        self.save("y", np.ones(10))

    def write(self, name, text):
        (self.path / name).write_text(text)
        return name

    def save(self, name, array):
        np.save(self.path / f"{name}.npy", array)

    def load(self, name):
        return np.load(self.path / f"{name}.npy")

    def files(self):
        return sorted(str(p.relative_to(self.path)) for p in self.path.rglob("*"))

    def run(self, *words, stdin=b"", env=None, prefix=(), stdout=subprocess.PIPE):
        environment = {**os.environ, "TMPDIR": str(self.path / "tmp"), "HEDDLE_CACHE": "off", **(env or {})}
        (self.path / "tmp").mkdir(exist_ok=True)
        done = subprocess.run([*prefix, self.heddle, *map(str, words)], cwd=self.path, input=stdin, stdout=stdout, stderr=subprocess.PIPE,
                              env=environment, timeout=120)
        assert not list((self.path / "tmp").iterdir()), "a temporary folder was left behind"
        (self.path / "tmp").rmdir()
        if stdout != subprocess.PIPE:
            done.stdout = b""
        return Result(done)

    def good(self, *words, **options):
        result = self.run(*words, **options)
        assert result.status == 0, f"heddle {' '.join(map(str, words))}: exit {result.status}\n{result.err}"
        return result

    def refused(self, status, fragments, *words, **options):
        """The command fails with this status, says all fragments on its standard error, and leaves no file behind."""
        before = self.files()
        result = self.run(*words, **options)
        what = f"heddle {' '.join(map(str, words))}\nexit {result.status}\n{result.err}"
        assert result.status == status, f"status {status} expected: {what}"
        for fragment in fragments:
            assert fragment in result.err, f"'{fragment}' expected in: {what}"
        assert self.files() == before, f"files were left behind: {set(self.files()) - set(before)}: {what}"
        return result


@contextlib.contextmanager
def scratch(heddle):
    with tempfile.TemporaryDirectory() as folder:
        yield Scratch(heddle, folder)
