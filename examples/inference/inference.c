/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a compiled model once, in C. Usage: inference_c model.minic
 * Models with one input and one output, both f32.
 */
#include <minic/minic.h>

#include <stdio.h>
#include <stdlib.h>

static void check(minic_status status) {
  if (status != MINIC_OK) {
    fprintf(stderr, "inference: %s\n", minic_last_error());
    exit(1);
  }
}

/* A tensor of the program's own shape in fresh memory. */
static DLTensor allocate(const minic_tensor_info *info) {
  DLTensor tensor = {
      NULL, {kDLCPU, 0}, info->ndim, info->dtype, (int64_t *)info->shape, NULL,
      0};
  tensor.data = aligned_alloc(64, (info->bytes + 63) / 64 * 64);
  return tensor;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s model.minic\n", argv[0]);
    return 2;
  }
  minic_program *program;
  minic_context *context;
  minic_tensor_info x, y;
  check(minic_program_load(argv[1], NULL, &program));
  check(minic_context_create(program, NULL, &context));
  check(minic_program_input(program, 0, &x));
  check(minic_program_output(program, 0, &y));

  DLTensor input = allocate(&x), output = allocate(&y);
  for (size_t i = 0; i < x.bytes / sizeof(float); ++i) {
    ((float *)input.data)[i] = (float)(i % 8) / 8;
  }
  check(minic_context_run(context, &input, 1, &output, 1));

  printf("%s -> %s: %g\n", x.name, y.name, ((float *)output.data)[0]);
  free(input.data);
  free(output.data);
  minic_context_destroy(context);
  minic_program_destroy(program);
  return 0;
}
