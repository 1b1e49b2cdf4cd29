/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plug-in of minic implements: kernels that are built outside of minic
 * and offered to it as candidates (docs/plugins.md). C99, and C++.
 *
 * A plug-in is a shared library that exports minic_plugin_v1. minic opens it in
 * a process of its own, asks for the schedules of a problem, then for the code
 * of a schedule. What comes back is verified and timed as minic's own kernels
 * are.
 *
 * Threads: in one process, one thread at a time. Several processes may have the
 * plug-in open at once.
 *
 * Same question, same answer: what a function answers follows from its
 * arguments alone. Measurements are kept for as long as the plug-in's file has
 * the same bytes.
 *
 * Memory: what a function returns, or stores in its `out`, stays the plug-in's.
 * minic reads it, then hands `out->owner` to `release`, once, whatever the
 * answer was.
 *
 * Errors: a function returns a minic_plugin_answer and says why in
 * `out->message`, one line of UTF-8. If a C++ exception leaves a function, that
 * is an error of the plug-in. After a crash, or a call that takes longer than
 * `seconds`, minic ends the process and goes on without what it asked for.
 *
 * Versions: within minic_plugin_v1 later headers only add fields at the ends of
 * structs. Whoever reads a struct that another header's reader filled in looks
 * at `struct_size` first. Any other change gets a new function,
 * minic_plugin_v2.
 */
#ifndef MINIC_PLUGIN_H
#define MINIC_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define MINIC_PLUGIN_API __attribute__((visibility("default")))
#else
#define MINIC_PLUGIN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Of this interface, and of the JSON that describes problems. */
#define MINIC_PLUGIN_VERSION 1

typedef enum minic_plugin_answer {
  MINIC_PLUGIN_OK = 0,
  /* Not a problem for this plug-in; nothing is wrong. */
  MINIC_PLUGIN_REFUSED = 1,
  /* Something is wrong; minic warns. */
  MINIC_PLUGIN_FAILED = 2
} minic_plugin_answer;

typedef enum minic_plugin_code_kind {
  /* CPUs: LLVM IR as text, of LLVM 22 or older. The entry is
   *   void(ptr operand, ..., ptr result, ..., i64 begin, i64 end)
   * and computes tiles [begin, end) of `tiles`, on any thread. It calls nothing
   * that the text does not define, and there are no variables but constants. */
  MINIC_PLUGIN_LLVM_IR = 1,
  /* GPUs: PTX. The entry takes pointers to operands, then to results. */
  MINIC_PLUGIN_PTX = 2,
  /* GPUs: a cubin for the architecture that the problem names; the same entry.
   */
  MINIC_PLUGIN_CUBIN = 3,
  /* CPUs: a position-independent ELF object (.o) for x86-64, of the level that
   * the problem's `arch` names and no more. The same entry as LLVM IR's, a
   * visible function; the object imports nothing, and has neither variables nor
   * pointers as constants. */
  MINIC_PLUGIN_OBJECT = 4
} minic_plugin_code_kind;

/* The answer to list_schedules. minic zeroes it and sets struct_size. */
typedef struct minic_plugin_schedules {
  size_t struct_size;
  /* 1 to 256 where the answer is MINIC_PLUGIN_OK. */
  size_t count;
  /* The likely best one first; all different. Each is 1 to 100 printable ASCII
   * characters. People see them in tables, make_code gets one of them. */
  const char *const *names;
  /* Why the answer is not MINIC_PLUGIN_OK; may be null. */
  const char *message;
  /* For `release`; may be null. */
  void *owner;
} minic_plugin_schedules;

/* The answer to make_code. minic zeroes it and sets struct_size. */
typedef struct minic_plugin_code {
  size_t struct_size;
  minic_plugin_code_kind kind;
  const char *data; /* `size` bytes; text needs no zero at its end */
  size_t size;
  const char *entry;     /* the kernel's name in the code */
  int64_t tiles;         /* CPUs: what threads share, 1 or more */
  uint32_t grid[3];      /* GPUs: blocks in x, y, z; a zero counts as one */
  uint32_t block[3];     /* GPUs: threads in x, y, z; the same */
  uint32_t shared_bytes; /* GPUs: dynamic shared memory of a block */
  const char *message;   /* as above */
  void *owner;           /* as above */
} minic_plugin_code;

/* What minic_plugin_v1 returns: constant while the library is open. */
typedef struct minic_plugin {
  uint32_t interface_version; /* MINIC_PLUGIN_VERSION */
  size_t struct_size;         /* sizeof(minic_plugin) */
  const char *name;           /* 1 to 32 of a-z, 0-9, '_', '-' */
  const char *version; /* for people: 1 to 32 printable ASCII characters */
  double seconds;      /* that a call may take; 0 for 10; at most 600 */

  /* The schedules for `problem`, JSON that ends in a zero. */
  minic_plugin_answer (*list_schedules)(const char *problem,
                                        minic_plugin_schedules *out);
  /* The code of a schedule that list_schedules named for `problem`, perhaps in
   * another process. */
  minic_plugin_answer (*make_code)(const char *problem, const char *schedule,
                                   minic_plugin_code *out);
  /* Frees what `owner` stands for; null if no owner is ever set. */
  void (*release)(void *owner);
} minic_plugin;

/* The symbol that a plug-in exports; called once in each process. */
MINIC_PLUGIN_API const minic_plugin *minic_plugin_v1(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MINIC_PLUGIN_H */
