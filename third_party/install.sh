#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs what building, testing and the demo need and what is missing of it:
# Debian packages (debian-packages.txt, test-packages.txt) and a Python
# environment in .venv (requirements.txt). Does nothing, quickly, where all is there.
# Where there is no CUDA toolkit, NVIDIA's wheels (1.5 GB) stand in for it.
#   --demo     without them where there is no NVIDIA driver: then the demo builds
#              for CPUs alone; without test-packages.txt
#   --dry-run  installs nothing, prints what it would
# MINIC_CUDA=wheels: the wheels in any case, although there is a toolkit.
# MINIC_SYSTEM_ROOT: where /dev, /proc and /usr are, for this script's test.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
system=${MINIC_SYSTEM_ROOT:-}

demo=false
dry=false
for option in "$@"; do
  case $option in
  --demo) demo=true ;;
  --dry-run) dry=true ;;
  *)
    echo "install.sh: error: unknown option '$option' (--demo, --dry-run)" >&2
    exit 2
    ;;
  esac
done

lists=("$here/debian-packages.txt")
$demo || lists+=("$here/test-packages.txt")
mapfile -t wanted < <(grep -hv '^#' "${lists[@]}")
missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done

if $dry; then
  echo "debian: ${missing[*]:-nothing}"
elif [ ${#missing[@]} -gt 0 ]; then
  sudo=""
  if [ "$(id -u)" -ne 0 ]; then
    sudo=sudo
    command -v sudo >/dev/null || {
      echo "install.sh: error: need root or sudo to install: ${missing[*]}" >&2
      exit 4
    }
  fi
  echo "installing Debian packages: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  $sudo apt-get update -qq
  $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" \
    >/dev/null || {
      echo "install.sh: error: apt-get could not install: ${missing[*]}" >&2
      echo "  (Debian 12 with its security archive has all of them)" >&2
      exit 4
    }
fi

# A toolkit of 13.0 or newer, or its wheels; neither asks for a GPU.
toolkit=
toolkits=("${CUDA_HOME:-}" "$system/usr/local/cuda")
[ "${MINIC_CUDA:-}" != wheels ] || toolkits=()
for candidate in "${toolkits[@]}"; do
  header=$candidate/include/cuda.h
  if [ -f "$header" ] && [ -f "$candidate/include/cudnn.h" ] &&
    [ "$(sed -n 's/^#define CUDA_VERSION \([0-9]*\).*/\1/p' "$header")" -ge 13000 ]; then
    toolkit=$candidate
    break
  fi
done

# Bare metal and containers, those without /proc/driver, and WSL.
has_driver() {
  [ -e "$system/proc/driver/nvidia/version" ] || [ -e "$system/dev/nvidiactl" ] ||
    [ -e "$system/usr/lib/wsl/lib/libcuda.so.1" ]
}

# wanted CUDA: the lists that .venv is made of.
wanted() {
  case $1 in
  toolkit) cat "$here/requirements.txt" "$here/cuda-headers.txt" ;;
  wheels)
    cat "$here/requirements.txt" "$here/cuda-headers.txt" "$here/cuda-wheels.txt"
    ;;
  none) cat "$here/requirements.txt" ;;
  esac
}

stamp=$root/.venv/requirements.txt
installed=$(cat "$stamp" 2>/dev/null || true)
if [ -n "$toolkit" ]; then
  cuda=toolkit
elif $demo && [ "${MINIC_CUDA:-}" != wheels ] && ! has_driver &&
  [ "$installed" != "$(wanted wheels)" ]; then
  cuda=none
else
  cuda=wheels
fi
if $dry; then
  [ "$installed" = "$(wanted $cuda)" ] && python=nothing ||
    python=$(wanted $cuda | grep -v '^#' | tr '\n' ' ')
  echo "python: ${python% }"
  echo "cuda: $cuda"
  exit
fi

if [ "$installed" != "$(wanted $cuda)" ]; then
  echo "creating the Python environment .venv"
  /usr/bin/python3 -m venv --clear "$root/.venv"
  pip=("$root/.venv/bin/pip" install --quiet --disable-pip-version-check)
  "${pip[@]}" -r "$here/requirements.txt"
  case $cuda in
  toolkit) "${pip[@]}" --no-deps -r "$here/cuda-headers.txt" ;;
  wheels)
    "${pip[@]}" --no-deps -r "$here/cuda-headers.txt" -r "$here/cuda-wheels.txt"
    ;;
  esac
  wanted $cuda >"$stamp"
fi
