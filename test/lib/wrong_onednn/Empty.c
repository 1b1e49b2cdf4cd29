// SPDX-License-Identifier: Apache-2.0
//
// A library that is only a name.

typedef int Nothing; // C wants a declaration in each file
