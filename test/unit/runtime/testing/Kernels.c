// SPDX-License-Identifier: Apache-2.0
//
// Hand-written kernels in the form the compiler generates, linked as it links.

#include <stdint.h>

typedef union {
  void *pointer;
  int64_t integer;
} Arg;

// args: source, destination, count, tile. destination[i] = 2 * source[i] + 1,
// `tile` elements a tile.
void scale_f32(const Arg *args, int64_t begin, int64_t end, void *scratch) {
  const float *source = args[0].pointer;
  float *destination = args[1].pointer;
  int64_t count = args[2].integer, tile = args[3].integer;
  for (int64_t i = begin * tile; i < end * tile && i < count; ++i) {
    destination[i] = 2 * source[i] + 1;
  }
}

// args: left, right, destination; one element a tile, through the thread's
// scratch so that a shared or missing one shows.
void add_f32(const Arg *args, int64_t begin, int64_t end, void *scratch) {
  const float *left = args[0].pointer, *right = args[1].pointer;
  float *destination = args[2].pointer;
  float *mine = scratch;
  for (int64_t i = begin; i < end; ++i) {
    mine[i % 16] = left[i] + right[i];
    destination[i] = mine[i % 16];
  }
}

// args: destination. Adds one to each tile's int64: counts how often each tile
// is computed.
void count_tiles(const Arg *args, int64_t begin, int64_t end, void *scratch) {
  int64_t *counts = args[0].pointer;
  for (int64_t i = begin; i < end; ++i) {
    counts[i] += 1;
  }
}

// A table in read-only data and a pointer in writable data: one RELATIVE
// relocation.
static const int64_t table[4] = {11, 22, 33, 44};
static const int64_t *volatile entry = &table[2];

// args: destination. Stores 33, found through the relocated pointer.
void relocated(const Arg *args, int64_t begin, int64_t end, void *scratch) {
  *(int64_t *)args[0].pointer = *entry;
}
