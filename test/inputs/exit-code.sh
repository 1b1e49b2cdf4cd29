#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs a command and succeeds if it exits with the given status:
# exit-code.sh STATUS COMMAND...
expected=$1
shift
"$@"
got=$?
if [ "$got" -ne "$expected" ]; then
  echo "expected exit status $expected, got $got: $*" >&2
  exit 1
fi
