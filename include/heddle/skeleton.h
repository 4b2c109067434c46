/* Trees of kernels over all devices, from C: heddle/skeleton.hpp, whose comments say what each thing does. Rules of
 * errors, handles and `size` are those of heddle/heddle.h. */
#ifndef HEDDLE_SKELETON_H
#define HEDDLE_SKELETON_H

#include "heddle/heddle.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heddle_tree heddle_tree;
typedef struct heddle_executor heddle_executor;
typedef struct heddle_tree_run heddle_tree_run;
typedef struct heddle_loop_view heddle_loop_view;

/* ---- Kernels of a tree ---- */

/* What a kernel gets for one of its parameters. */
enum {
  HEDDLE_BINDING_NUMBER = 0, /* `number` */
  HEDDLE_BINDING_SLOT = 1,   /* argument `slot` of the run */
  HEDDLE_BINDING_SIZE = 2,   /* elements of the part, of the kernel's first array that is cut */
  HEDDLE_BINDING_OFFSET = 3, /* the place of its first element in the whole array */
  HEDDLE_BINDING_UNITS = 4,  /* size and offset in partitioning units */
  HEDDLE_BINDING_FIRST_UNIT = 5,
  HEDDLE_BINDING_TOTAL = 6 /* elements of the whole array */
};

enum {
  HEDDLE_MERGE_NONE = 0,
  HEDDLE_MERGE_ADD = 1,
  HEDDLE_MERGE_SUBTRACT = 2,
  HEDDLE_MERGE_MULTIPLY = 3,
  HEDDLE_MERGE_DIVIDE = 4,
  HEDDLE_MERGE_FUNCTION = 5
};
/* Merges a part's result into the whole. 0: success; else the run fails, with the text of heddle_function_error. */
typedef int32_t (*heddle_merge_function)(void* user, void* whole, const void* part, size_t bytes);

typedef struct heddle_binding {
  size_t size;
  int32_t kind;
  heddle_argument number; /* of up to 16 bytes */
  uint32_t slot;
  heddle_element element; /* of the slot's array, compared with the kernel's parameter; unknown: not compared */
  size_t unit;            /* elementary partitioning unit, in elements; 0: none is stated */
  uint32_t per_thread;    /* elements of the array for each thread; 0: heddle_tree_kernel_options.per_thread */
  int32_t copy;           /* not 0: every part gets the whole array, to read */
  int32_t resident;       /* not 0: what kernels write of it stays on the devices */
  int32_t merge;          /* every part gets an array of its own */
  /* Of HEDDLE_MERGE_FUNCTION: the element that parts begin with, which is copied, and the function, which any thread
   * may call until the tree and its runs are gone; then `release`, if not NULL, gets `user`. */
  const void* neutral;
  size_t neutral_bytes;
  heddle_merge_function function;
  void* user;
  void (*release)(void* user);
} heddle_binding;

typedef struct heddle_tree_kernel_options {
  size_t size;
  uint32_t block;             /* threads of a block; 0: 256 */
  uint32_t cpu_block;         /* the same on CPUs; 0: as on GPUs */
  uint32_t per_thread;        /* elements that a thread computes; 0: 1 */
  uint32_t shared_per_thread; /* bytes of dynamic shared memory */
  const uint32_t* blocks;     /* sizes among which the auto-tuner may choose */
  size_t block_count;
} heddle_tree_kernel_options;

/* A binding for each parameter. HEDDLE_INVALID_ARGUMENT where they do not fit; `release` is called then, too. The
 * kernel's handle may be freed afterwards. `options`: NULL for the defaults. */
heddle_status heddle_tree_kernel(heddle_kernel* kernel, const heddle_tree_kernel_options* options,
                                 const heddle_binding* bindings, size_t count, heddle_tree** tree);

/* ---- Trees ---- */

heddle_status heddle_tree_pipeline(heddle_tree* const* stages, size_t count, heddle_tree** tree);
heddle_status heddle_tree_map(heddle_tree* tree, heddle_tree** made);
heddle_status heddle_tree_map_reduce(heddle_tree* map_stage, heddle_tree* reduction, heddle_tree** made);

/* The functions of a loop. They return 0 on success; else the run fails, with the text of heddle_function_error.
 * Without global_sync several threads call them at once. */
typedef struct heddle_loop_state {
  size_t size;
  size_t iterations;                                                       /* a `for` loop, where no condition is */
  int32_t (*condition)(void* user, heddle_loop_view* view, int32_t* more); /* NULL, or before each iteration */
  int32_t (*update)(void* user, heddle_loop_view* view);                   /* NULL, or after each iteration */
  void* user;
  void (*release)(void* user); /* NULL, or called when the tree and its runs are gone, or no tree was made */
  const uint32_t* swap;        /* pairs of arguments that change places after each iteration */
  size_t swap_count;           /* of pairs */
  int32_t global_sync;
} heddle_loop_state;
heddle_status heddle_tree_loop(heddle_tree* body, const heddle_loop_state* state, heddle_tree** tree);

/* For the functions of a loop, while they run. Completed iterations; */
heddle_status heddle_loop_iteration(heddle_loop_view* view, size_t* iteration);
/* the part's bytes of an array, or all of them; */
heddle_status heddle_loop_read(heddle_loop_view* view, uint32_t slot, size_t element_bytes, const void** data,
                               size_t* bytes);
/* and a number for the next iterations, of the same type as before. */
heddle_status heddle_loop_set(heddle_loop_view* view, uint32_t slot, const heddle_argument* number);

/* "pipeline(noise,solarize) 1f09…"; valid until the tree is freed. */
heddle_status heddle_tree_name(heddle_tree* tree, const char** name);
/* Trees that contain it, and runs, go on. */
void heddle_tree_free(heddle_tree* tree);

/* ---- Runs ---- */

typedef struct heddle_executor_options {
  size_t size;
  const char* knowledge;  /* a file; NULL or "": in Heddle's cache; "none": nothing is kept */
  const char* share;      /* the part of the devices that the program may use; NULL: "all" */
  int32_t build_profiles; /* not 0: search for a configuration when runs are unbalanced */
  int32_t no_adaptation;  /* not 0: work is not moved when runs are unbalanced */
  double max_deviation;   /* the shortest part over the longest that counts as balanced; 0: 0.85 */
  int32_t fixed_share;    /* not 0: the GPUs' share is `gpu_share` */
  double gpu_share;
  const char* fission; /* "L1", "L2", "L3", "NUMA", "none"; NULL: found */
  uint32_t overlap;    /* parts of each GPU; 0: found */
  /* Speeds of devices, instead of measured ones. */
  const char* const* speed_devices;
  const double* speeds;
  size_t speed_count;
} heddle_executor_options;

heddle_status heddle_executor_create(heddle_runtime* runtime, const heddle_executor_options* options,
                                     heddle_executor** executor);
/* Waits for its runs. Before the runtime. */
void heddle_executor_free(heddle_executor* executor);

/* An argument of a run: a number, or an array or part of one with the type of its elements. */
typedef struct heddle_tree_argument {
  heddle_argument argument;
  uint32_t element_bytes; /* 0: a number */
  heddle_element element; /* of arrays, for results that are merged by an operation */
  heddle_number number;
} heddle_tree_argument;

/* Runs a tree, asynchronously; arrays must exist until it is done. HEDDLE_INVALID_ARGUMENT at once where an argument
 * does not fit the tree. */
heddle_status heddle_executor_run(heddle_executor* executor, heddle_tree* tree, const heddle_tree_argument* arguments,
                                  size_t count, heddle_tree_run** run);
/* Searches for the best configuration now, with runs on copies of the arrays, and keeps it. Waits. */
heddle_status heddle_executor_tune(heddle_executor* executor, heddle_tree* tree, const heddle_tree_argument* arguments,
                                   size_t count);

typedef struct heddle_tree_report {
  size_t size;
  double gpu_share;    /* of the work, as planned */
  const char* fission; /* these texts are valid until the run's handle is freed */
  uint32_t overlap;
  double seconds, waited_seconds;
  uint64_t barriers;
  const char* why; /* where the split comes from */
  size_t part_count, kernel_count;
} heddle_tree_report;
typedef struct heddle_part_report {
  size_t size;
  const char* device;
  uint64_t first, count; /* elementary units */
  double seconds;
  uint64_t launches;
} heddle_part_report;

heddle_status heddle_tree_run_done(heddle_tree_run* run, int32_t* done);
/* Blocks until it is done; its error. The host then has the results. */
heddle_status heddle_tree_run_wait(heddle_tree_run* run);
/* These wait. */
heddle_status heddle_tree_run_report(heddle_tree_run* run, heddle_tree_report* report);
heddle_status heddle_tree_run_part(heddle_tree_run* run, size_t number, heddle_part_report* part);
heddle_status heddle_tree_run_kernel(heddle_tree_run* run, size_t number, const char** name);
/* Frees the handle; the run goes on. */
void heddle_tree_run_free(heddle_tree_run* run);

#ifdef __cplusplus
}
#endif

#endif
