#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Compiles a model, then runs every function of it on random data, several
# times with different data, and compares with the float64 reference:
# [SEEDS="1 2"] check-model.sh MODEL ARTIFACT [minic options...]
model=$1
artifact=$2
shift 2
minic "$model" -o "$artifact" "$@" || exit
for function in $(minic inspect "$artifact" | sed -n 's/^function //p'); do
  for seed in ${SEEDS:-1 2}; do
    echo "@$function, seed $seed"
    minic-run "$artifact" --function="$function" --seed=$seed --check || exit
  done
done
