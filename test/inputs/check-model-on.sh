#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Compiles a model, then runs every function of it on the given first input and
# compares with the float64 reference:
# check-model-on.sh INPUT.npy MODEL ARTIFACT [minic options...]
input=$1
model=$2
artifact=$3
shift 3
minic "$model" -o "$artifact" "$@" || exit
for function in $(minic inspect "$artifact" | sed -n 's/^function //p'); do
  echo "@$function"
  minic-run "$artifact" --function="$function" --input="$input" --check || exit
done
