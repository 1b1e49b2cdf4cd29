# SPDX-License-Identifier: Apache-2.0
# Writes the PTX for ARCH of the kernels in INPUT to OUTPUT, as a C++ string
# literal.
execute_process(COMMAND ${EMIT} ${INPUT} --arch=${ARCH}
  OUTPUT_VARIABLE ptx COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${OUTPUT} "R\"ptx(${ptx})ptx\"\n")
