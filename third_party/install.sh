#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs what building, testing and the demo need and what is missing of it:
# Debian packages (debian-packages.txt) and a Python environment in .venv
# (requirements.txt). Does nothing, quickly, where all is there.
# MINIC_CUDA=wheels: NVIDIA's wheels although there is a CUDA toolkit.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")

mapfile -t wanted < <(grep -v '^#' "$here/debian-packages.txt")
missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done

if [ ${#missing[@]} -gt 0 ]; then
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
cuda_include=
toolkits=("${CUDA_HOME:-}" /usr/local/cuda)
[ "${MINIC_CUDA:-}" != wheels ] || toolkits=()
for candidate in "${toolkits[@]}"; do
  header=$candidate/include/cuda.h
  if [ -f "$header" ] && [ -f "$candidate/include/cudnn.h" ] &&
    [ "$(sed -n 's/^#define CUDA_VERSION \([0-9]*\).*/\1/p' "$header")" -ge 13000 ]; then
    cuda_include=$candidate/include
    break
  fi
done
without_deps=("$here/cuda-headers.txt")
[ -n "$cuda_include" ] || without_deps+=("$here/cuda-wheels.txt")

stamp=$root/.venv/requirements.txt
wanted=$(cat "$here/requirements.txt" "${without_deps[@]}")
if [ "$wanted" != "$(cat "$stamp" 2>/dev/null)" ]; then
  echo "creating the Python environment .venv"
  /usr/bin/python3 -m venv --clear "$root/.venv"
  "$root/.venv/bin/pip" install --quiet --disable-pip-version-check \
    -r "$here/requirements.txt"
  "$root/.venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
    $(printf -- '-r %s ' "${without_deps[@]}")
  printf '%s\n' "$wanted" >"$stamp"
fi
