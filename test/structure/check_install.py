"""Installs Heddle into a scratch folder and builds a project against it that knows nothing of the source tree.

usage: check_install.py CMAKE BUILD_DIR CXX_COMPILER [SANITIZERS]"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

CONSUMER = pathlib.Path(__file__).resolve().parent / "consumer"


def run(*words):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\nexit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main(cmake, build, compiler, sanitizers=""):
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        prefix = scratch / "prefix"
        run(cmake, "--install", build, "--prefix", prefix)
        assert run(prefix / "bin/heddle", "--version").startswith("heddle ")
        project = shutil.copytree(CONSUMER, scratch / "consumer")
        flags = f"-fsanitize={sanitizers}" if sanitizers else ""
        run(cmake, "-S", project, "-B", scratch / "build", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}",
            f"-DCMAKE_CXX_FLAGS={flags}", "-G", "Ninja")
        run(cmake, "--build", scratch / "build")
        said = run(scratch / "build/consumer")
        assert said.startswith("2 4 6 8 10 refused: "), said
        print(said)
        here = str(CONSUMER.parents[2])
        for file in prefix.rglob("*.cmake"):
            assert here not in file.read_text(), f"{file.name} names the source tree"


if __name__ == "__main__":
    main(*sys.argv[1:])
