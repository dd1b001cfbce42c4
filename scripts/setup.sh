# Sourced by ./run and ./check: installs what Debian 12 lacks, and names a Python that has numpy in $PYTHON.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(g++ cmake ninja-build ccache pkg-config libisl-dev libgmp-dev libfmt-dev catch2 libcli11-dev nlohmann-json3-dev libxxhash-dev
          libgomp1 lld ocl-icd-opencl-dev pocl-opencl-icd oclgrind clang-19 libclang-rt-19-dev libomp-19-dev python3 python3-venv)

missing_packages() {
  local p
  for p in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || echo "$p"
  done
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages)
  [ "${#missing[@]}" -eq 0 ] && return 0
  if ! command -v apt-get >/dev/null; then
    echo "these packages are needed and there is no apt-get to install them: ${missing[*]}" >&2
    exit 3
  fi
  if [ "$(id -u)" -ne 0 ]; then
    echo "run once as root, or install: apt-get install ${missing[*]}" >&2
    exit 3
  fi
  echo "installing: ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

find_python() {
  PYTHON=python3
  if ! "$PYTHON" -c 'import numpy' 2>/dev/null; then
    [ -x build/venv/bin/python ] || python3 -m venv build/venv
    PYTHON=$PWD/build/venv/bin/python
    "$PYTHON" -c 'import numpy' 2>/dev/null || "$PYTHON" -m pip install -q numpy
  fi
  export PYTHON
}

# build_preset NAME [CMAKE OPTIONS…]: configures a preset and builds everything in it.
build_preset() {
  local preset=$1 log=build/$1.configure.log
  shift
  cmake --preset "$preset" -DPython3_EXECUTABLE="$(command -v "$PYTHON")" "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    exit 3
  }
  cmake --build --preset "$preset" -j "$(nproc)"
}

mkdir -p build
install_packages
find_python
