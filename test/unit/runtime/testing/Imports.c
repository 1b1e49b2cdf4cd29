// SPDX-License-Identifier: Apache-2.0
//
// A kernel object that the loader must refuse: it calls what it does not have.

#include <stdint.h>

extern double missing_function(double value);

void uses_import(const void *args, int64_t begin, int64_t end, void *scratch) {
  *(double *)scratch = missing_function(begin);
}
