# SPDX-License-Identifier: Apache-2.0
#
# Sourced by ./check and ./demo: where there is no CUDA toolkit, the libraries
# of its wheels are found in .venv.
for minic_wheel_lib in "$PWD"/.venv/lib/python3*/site-packages/nvidia/*/lib; do
  if [ -d "$minic_wheel_lib" ]; then
    export LD_LIBRARY_PATH="$minic_wheel_lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  fi
done
unset minic_wheel_lib
