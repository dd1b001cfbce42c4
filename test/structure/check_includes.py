"""The rooms include each other only as docs/architecture.md says.

usage: check_includes.py SOURCE_DIR"""
import pathlib
import re
import sys

# A room and what it may include.
ARROWS = {
    "runtime": {"runtime"},
    "ir": {"ir"},
    "transform": {"transform", "ir"},
    "target": {"target", "ir"},
    "tools": {"tools", "transform", "target", "runtime", "ir"},
}
# isl's C++ interface belongs to the parts of ir that ask it; its C side to ir/poly alone.
ISL_CPP = re.compile(r"ir/(poly\.h|(poly|access|depend|bounds)/)")
ISL_C = re.compile(r"ir/poly/")
# Headers for emitted text stand beside each other, and include each other so.
FOR_TEXT = re.compile(r"runtime/cuda_emulated/heddle_cuda_\w+\.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def faults(root, path, text):
    name = str(path.relative_to(root))
    room = name.split("/")[0]
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        bracket, header = found.groups()
        if FOR_TEXT.match(name) and (path.parent / header).is_file():
            continue
        place = f"{name}:{number}: {line.strip()}"
        if bracket == '"' and header.split("/")[0] not in ARROWS[room]:
            yield f"{place}\n    {room} includes {', '.join(sorted(ARROWS[room]))} only"
        if bracket == '"' and not (root / header).is_file():
            yield f"{place}\n    includes are written from the root"
        if header == "isl/cpp.h" and not ISL_CPP.match(name):
            yield f"{place}\n    isl is for ir/poly, access, depend and bounds"
        if header.startswith("isl/") and header != "isl/cpp.h" and not ISL_C.match(name):
            yield f"{place}\n    isl's C side stays in ir/poly"
        if path.suffix == ".h" and header.startswith("fmt/"):
            yield f"{place}\n    fmt is for .cpp files"


def main(root):
    root = pathlib.Path(root).resolve()
    found, files = [], 0
    for room in ARROWS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                files += 1
                found += faults(root, path, path.read_text())
    print("\n".join(found) or f"{files} files include what they may")
    if found or files == 0:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
