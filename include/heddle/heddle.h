/* Heddle in C: devices, modules, kernels, arrays and launches. Plain C11, also C++; exported by libheddle.so.
 *
 *   heddle_runtime* runtime = NULL;
 *   if (heddle_runtime_create(NULL, &runtime) != HEDDLE_OK) fail(heddle_last_error());
 *   heddle_module_compile(runtime, source, "saxpy.cu", NULL, &module);
 *   heddle_module_kernel(module, "saxpy", &kernel);
 *   heddle_array_create(runtime, n * sizeof(float), &x);
 *   const heddle_launch_options shape = {sizeof shape, {blocks}, {256}};
 *   const heddle_argument arguments[] = {heddle_i32(n), heddle_f32(2), heddle_whole(x), heddle_whole(y)};
 *   heddle_launch_kernel(runtime, kernel, &shape, arguments, 4, NULL);
 *   heddle_array_read(y, (const void**)&result);
 *
 * Write the program as if everything ran in order. Launches that do not touch the same bytes, or only read them, run at
 * the same time. The host continues, and waits only where it reads or writes an array that is in use.
 *
 * Errors. A function that returns heddle_status returns HEDDLE_OK, or else the kind of error: heddle_last_error() then
 * returns the sentence, for the calling thread. Outputs of the function are then unchanged. No exception leaves the
 * library. A handle that is NULL is HEDDLE_INVALID_ARGUMENT.
 *
 * Handles. Each is freed once by its own function, which also takes NULL and then does nothing. A handle keeps alive
 * what it needs: you may free a module before its kernels, a runtime before its arrays. Strings and pointers that a
 * function returns belong to the handle that it was called with, and last as long as it. A freed handle must not be
 * used. Freeing an array waits for the launches that use it. Freeing the last handle of a module, and of its kernels
 * and launches, waits for what is in flight.
 *
 * Threads. Any thread may call any function with any handle, also several threads at the same time with the same
 * handle. Only while a thread frees a handle, or calls heddle_array_write, no other thread may use it.
 *
 * Processes. After fork() a child must not use the handles of its parent, nor free them; it may make a runtime of its
 * own.
 *
 * Structures begin with `size`, which the caller sets to the structure's sizeof at compile time. So they can grow, at
 * their end. Every other member that is zero has its default.
 */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HEDDLE_VERSION_MAJOR 0
#define HEDDLE_VERSION_MINOR 1
#define HEDDLE_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#define HEDDLE_ENUM(name) enum name : int32_t
#else
#define HEDDLE_ENUM(name) enum name
#endif

/* ---- Errors ---- */

/* heddle::ErrorCode plus one, so that 0 is success. */
typedef HEDDLE_ENUM(heddle_status){
    HEDDLE_OK = 0,
    HEDDLE_INVALID_ARGUMENT = 1, /* a value the caller passed is wrong */
    HEDDLE_NOT_FOUND = 2,        /* a file, kernel, device or symbol that does not exist */
    HEDDLE_PARSE_ERROR = 3,      /* PTX text that is not PTX */
    HEDDLE_COMPILE_ERROR = 4,    /* CUDA C++ that does not compile */
    HEDDLE_UNSUPPORTED = 5,      /* valid, but Heddle or this device does not do it; the message names it */
    HEDDLE_OUT_OF_MEMORY = 6,
    HEDDLE_KERNEL_FAULT = 7, /* a kernel accessed memory it may not, trapped or failed an assertion */
    HEDDLE_DEADLOCK = 8,     /* threads of a launch wait for something that can never happen */
    HEDDLE_DEVICE_LOST = 9,
    HEDDLE_IO_ERROR = 10, /* files, caches */
    HEDDLE_INTERNAL = 11  /* a bug in Heddle */
} heddle_status;

/* What the kernel did, where the status is HEDDLE_KERNEL_FAULT; heddle::KernelFault. */
typedef HEDDLE_ENUM(heddle_fault){
    HEDDLE_FAULT_NONE = 0,       HEDDLE_FAULT_MEMORY_ACCESS = 1, /* an address that it may not read or write */
    HEDDLE_FAULT_MISALIGNED = 2, HEDDLE_FAULT_TRAP = 3,          HEDDLE_FAULT_ASSERTION = 4,
    HEDDLE_FAULT_OTHER = 5,      HEDDLE_FAULT_TIMEOUT = 6 /* it ran for longer than launch_timeout_ms */} heddle_fault;

/* The sentence of the last function that failed in this thread: what was wrong, where, what to do. Empty when none has.
 * Valid until the next one that fails in this thread. */
const char* heddle_last_error(void);
heddle_fault heddle_last_fault(void);
/* "not_found" for HEDDLE_NOT_FOUND. Never NULL. */
const char* heddle_status_name(heddle_status status);
/* Of the library: "0.1.0". */
const char* heddle_version(void);

/* ---- Runtimes and devices ---- */

typedef struct heddle_runtime heddle_runtime;
typedef struct heddle_module heddle_module;
typedef struct heddle_kernel heddle_kernel;
typedef struct heddle_array heddle_array;
typedef struct heddle_launch heddle_launch;
typedef struct heddle_tenant heddle_tenant;

/* heddle::Scheduling; results are the same with any of them. */
enum { HEDDLE_EXECUTION_ASYNC = 0, HEDDLE_EXECUTION_SYNC = 1 };
enum { HEDDLE_DEPENDENCES_WITH_CONST = 0, HEDDLE_DEPENDENCES_NO_CONST = 1 };
enum { HEDDLE_NEW_QUEUES_REUSE = 0, HEDDLE_NEW_QUEUES_ALWAYS_NEW = 1 };
enum { HEDDLE_CHILD_QUEUES_DISJOINT = 0, HEDDLE_CHILD_QUEUES_SAME_AS_PARENT = 1 };
enum { HEDDLE_PREFETCH_ON = 0, HEDDLE_PREFETCH_OFF = 1 };
enum { HEDDLE_REPLAY_ON = 0, HEDDLE_REPLAY_OFF = 1 };
enum {
  HEDDLE_PLACEMENT_FIRST = 0,
  HEDDLE_PLACEMENT_ROUND_ROBIN = 1,
  HEDDLE_PLACEMENT_STREAM_AWARE = 2,
  HEDDLE_PLACEMENT_MIN_TRANSFER_SIZE = 3,
  HEDDLE_PLACEMENT_MINMIN_TRANSFER_TIME = 4,
  HEDDLE_PLACEMENT_MINMAX_TRANSFER_TIME = 5
};

/* Mistakes of kernels to look for. A launch with such a mistake fails. */
enum {
  HEDDLE_CHECK_NONE = 0,
  HEDDLE_CHECK_MEMORY = 1, /* accesses outside of allocations, misaligned ones, writes to constants */
  HEDDLE_CHECK_RACE = 2,   /* two threads access the same bytes, one writes, and nothing orders them */
  HEDDLE_CHECK_INIT = 4,   /* reads of memory that nobody has written */
  HEDDLE_CHECK_SYNC = 8    /* barriers and warp operations that not all of their threads reach */
};

/* For heddle_runtime_options.early_start_bytes: no launch begins before its arrays have arrived. */
#define HEDDLE_EARLY_START_OFF UINT64_MAX

typedef struct heddle_runtime_options {
  size_t size;
  const char* devices;  /* ids in order of preference, comma separated; NULL or "": all that are found, GPUs first */
  const char* trace;    /* a file for the timeline; NULL or "": none */
  int32_t check;        /* HEDDLE_CHECK_..., or several of them added; slow */
  uint32_t workers;     /* threads of the CPU device; 0: one for each core the process may use */
  int32_t execution;    /* HEDDLE_EXECUTION_... */
  int32_t dependences;  /* HEDDLE_DEPENDENCES_... */
  int32_t new_queues;   /* HEDDLE_NEW_QUEUES_... */
  int32_t child_queues; /* HEDDLE_CHILD_QUEUES_... */
  int32_t prefetch;     /* HEDDLE_PREFETCH_... */
  uint32_t most_queues; /* of a device; 0: the default, 32 */
  int32_t replay;       /* HEDDLE_REPLAY_... */
  int32_t placement;    /* HEDDLE_PLACEMENT_...: the device of launches that name none */
  /* A launch may begin while so many bytes or more of an array are on their way to a GPU; 0: the default, 32 MiB;
   * HEDDLE_EARLY_START_OFF: never. */
  uint64_t early_start_bytes;
  const char* policy;     /* when launches are submitted: "slice:64", "bounded:500"; NULL, "" or "direct": at once */
  uint64_t memory_budget; /* bytes of each device's memory that arrays may take; 0: what there is */
  /* Milliseconds that a launch may run; then it fails with HEDDLE_FAULT_TIMEOUT. 0: for ever. Not on GPUs. */
  uint64_t launch_timeout_ms;
} heddle_runtime_options;

typedef struct heddle_device_info {
  size_t size;
  const char* id;       /* "cuda:0", "cpu", "interp": what options call it */
  const char* name;     /* "NVIDIA H200", "AMD EPYC 9J14, 2 workers, AVX-512" */
  uint32_t processors;  /* SMs of a GPU, workers of the CPU device, 1 of the interpreter */
  uint32_t warp_size;   /* threads */
  uint32_t vector_bits; /* width of the CPU's vectors; 0 for other devices */
  int32_t host_memory;  /* 1: its memory is the host's */
  uint64_t memory_bytes;
  uint32_t capability; /* of a GPU: 90 for compute capability 9.0; else 0 */
  uint32_t max_threads_per_block;
  uint64_t max_shared_per_block; /* bytes, static and dynamic together */
} heddle_device_info;

/* options: NULL for the default. HEDDLE_NOT_FOUND for a device that does not exist, with the existing ones. */
heddle_status heddle_runtime_create(const heddle_runtime_options* options, heddle_runtime** runtime);
/* Waits for what is in flight; errors that were not returned yet are logged. */
void heddle_runtime_free(heddle_runtime* runtime);
/* Waits for everything in flight; returns the first error that was not returned yet. */
heddle_status heddle_runtime_synchronize(heddle_runtime* runtime);
/* Updates the file of `trace`; freeing the runtime does so too. */
heddle_status heddle_runtime_write_trace(heddle_runtime* runtime);
/* Writes what has been recorded so far to another file: .json, .svg or .dot. HEDDLE_INVALID_ARGUMENT for another
 * ending, or for a runtime without `trace`; HEDDLE_IO_ERROR when the file cannot be written. */
heddle_status heddle_runtime_trace(heddle_runtime* runtime, const char* path);

/* Devices in order of preference: launches that name none run on the first. */
heddle_status heddle_device_count(heddle_runtime* runtime, size_t* count);
/* Fills what `info->size` has room for. HEDDLE_NOT_FOUND for an unknown number. */
heddle_status heddle_device_get_info(heddle_runtime* runtime, size_t number, heddle_device_info* info);
/* Bytes read plus bytes written per second by a large copy on the device (NULL or "": the first); measured on first
 * call, up to 200 ms. */
heddle_status heddle_measured_bandwidth(heddle_runtime* runtime, const char* device, double* bytes_per_second);
/* Bytes per second of a large copy from one device to another; "host" stands for host memory. Measured at each call,
 * some 100 ms. */
heddle_status heddle_measured_link(heddle_runtime* runtime, const char* from, const char* to, double* bytes_per_second);

/* ---- Modules ---- */

enum { HEDDLE_COMPILER_DEFAULT = 0, HEDDLE_COMPILER_CLANG = 1, HEDDLE_COMPILER_NVRTC = 2 };
enum { HEDDLE_OPT_DEFAULT = 0, HEDDLE_OPT_0 = 1, HEDDLE_OPT_1 = 2, HEDDLE_OPT_2 = 3, HEDDLE_OPT_3 = 4 };

/* heddle::CompileOptions. Lists may be NULL where their count is 0. */
typedef struct heddle_compile_options {
  size_t size;
  const char* const* defines; /* "NAME", "NAME=VALUE" or "NAME(PARAMETERS)=VALUE" */
  size_t define_count;
  const char* const* include_paths;
  size_t include_path_count;
  const char* const* extra; /* options passed to the compiler as they are */
  size_t extra_count;
  const char* arch;     /* the target of the PTX; NULL or "": sm_80 */
  int32_t fast_math;    /* not 0: as nvcc's -use_fast_math */
  int32_t opt;          /* HEDDLE_OPT_...; the default is 3 */
  int32_t no_line_info; /* not 0: faults cannot name the line of the source */
  int32_t compiler;     /* HEDDLE_COMPILER_... */
} heddle_compile_options;

/* CUDA C++ text, ended by a 0. `name` is its name in messages; NULL: "source.cu". HEDDLE_COMPILE_ERROR with the
 * compiler's messages. Results are cached on disk. */
heddle_status heddle_module_compile(heddle_runtime* runtime, const char* source, const char* name,
                                    const heddle_compile_options* options, heddle_module** module);
heddle_status heddle_module_compile_file(heddle_runtime* runtime, const char* file,
                                         const heddle_compile_options* options, heddle_module** module);
/* PTX text, ended by a 0. HEDDLE_PARSE_ERROR with line and column. `name`: NULL for "ptx". */
heddle_status heddle_module_load_ptx(heddle_runtime* runtime, const char* text, const char* name,
                                     heddle_module** module);
heddle_status heddle_module_load_ptx_file(heddle_runtime* runtime, const char* file, heddle_module** module);
/* By the file's ending: .cu is compiled, .ptx is loaded. */
heddle_status heddle_module_load_file(heddle_runtime* runtime, const char* file, const heddle_compile_options* options,
                                      heddle_module** module);
void heddle_module_free(heddle_module* module);

/* The PTX that the module was made from. */
heddle_status heddle_module_ptx(heddle_module* module, const char** text);
heddle_status heddle_module_kernel_count(heddle_module* module, size_t* count);
/* As in the PTX: "_Z6squarePfi". */
heddle_status heddle_module_kernel_name(heddle_module* module, size_t number, const char** name);

/* Types of numbers in memory, and what a number is in the source; heddle::ElementType and heddle::Number. */
typedef HEDDLE_ENUM(heddle_element){
    HEDDLE_ELEMENT_UNKNOWN = 0, /* bytes, structures: fits every kernel */
    HEDDLE_ELEMENT_I8 = 1,      /* signed or not, as the next three */
    HEDDLE_ELEMENT_I16 = 2,     HEDDLE_ELEMENT_I32 = 3, HEDDLE_ELEMENT_I64 = 4,  HEDDLE_ELEMENT_F16 = 5,
    HEDDLE_ELEMENT_F32 = 6,     HEDDLE_ELEMENT_F64 = 7, HEDDLE_ELEMENT_OTHER = 8 /* another number: a complex one */
} heddle_element;
typedef HEDDLE_ENUM(heddle_number){HEDDLE_NUMBER_UNKNOWN = 0, HEDDLE_NUMBER_SIGNED = 1, HEDDLE_NUMBER_UNSIGNED = 2,
                                   HEDDLE_NUMBER_BOOL = 3, HEDDLE_NUMBER_FLOATING = 4} heddle_number;

/* What is known of a variable of a module; heddle::VariableType. */
typedef struct heddle_variable_info {
  size_t size;            /* of this structure */
  heddle_element element; /* of the number that it is, or of those of an array; unknown where PTX has bytes or bits */
  int32_t is_array;       /* 1: of numbers, or of the bytes of something else */
  uint64_t bytes;
} heddle_variable_info;

/* A __device__ or __constant__ variable, from its declaration in the PTX. Named as kernels are. */
heddle_status heddle_module_get_variable_info(heddle_module* module, const char* name, heddle_variable_info* info);
/* Sets or gets it on one device (NULL or "": the first); waits for the launches of this module that are in flight
 * there. Each device has its own copy. HEDDLE_INVALID_ARGUMENT where the value does not fit, or has numbers of another
 * type than the variable, where that is known. */
heddle_status heddle_module_set_variable(heddle_module* module, const char* name, heddle_element element,
                                         const void* data, size_t bytes, const char* device);
heddle_status heddle_module_get_variable(heddle_module* module, const char* name, heddle_element element, void* data,
                                         size_t bytes, const char* device);
/* The same of bytes, whatever the variable's type, beginning at byte `offset` of it. */
heddle_status heddle_module_write_variable(heddle_module* module, const char* name, size_t offset, const void* data,
                                           size_t bytes, const char* device);
heddle_status heddle_module_read_variable(heddle_module* module, const char* name, size_t offset, void* data,
                                          size_t bytes, const char* device);

/* The PTX of a CUDA C++ file; needs no runtime. Free it with heddle_text_free. */
heddle_status heddle_compile_to_ptx(const char* file, const heddle_compile_options* options, char** text);
void heddle_text_free(char* text);

/* ---- Kernels ---- */

/* What a kernel does with the memory that a pointer parameter points to, found from its PTX; heddle::Access. */
typedef HEDDLE_ENUM(heddle_access){
    HEDDLE_ACCESS_NONE = 0, /* never dereferenced */
    HEDDLE_ACCESS_READ = 1, HEDDLE_ACCESS_WRITE = 2, HEDDLE_ACCESS_READ_WRITE = 3,
    HEDDLE_ACCESS_UNKNOWN = 4 /* not found; counts as read and written */
} heddle_access;

typedef struct heddle_parameter {
  size_t size;          /* of this structure */
  const char* name;     /* as in the PTX: "saxpy_param_2" */
  const char* type;     /* "u32", "f32", "b8[24]" for structures; PTX of CUDA C++ has no signed ones */
  uint32_t offset;      /* bytes, in the packed parameters */
  uint32_t bytes;       /* of the parameter */
  int32_t pointer;      /* 1: used as an address of memory */
  int32_t may_be_index; /* 1: a pointer only in sums with another one, so that either may be an index */
  heddle_access access; /* to the memory that it points to */
  const char* label; /* its name in the source: "x"; like the next three "" or unknown where the source is not known */
  const char* source_type; /* "const float*" */
  heddle_element element;  /* of what it points to */
  heddle_number number;    /* what it is itself */
} heddle_parameter;

typedef struct heddle_kernel_info {
  size_t size;
  const char* name;           /* as in the PTX */
  uint64_t shared_bytes;      /* static */
  uint64_t local_bytes;       /* a thread's */
  uint32_t parameter_count;   /* see heddle_kernel_get_parameter */
  uint32_t registers;         /* 32-bit registers a thread needs; an estimate from the PTX */
  uint32_t barriers;          /* barrier instructions */
  uint32_t atomics;           /* atomic and reduction instructions on memory */
  uint32_t max_threads;       /* of a block, as the kernel declares it; 0: not declared */
  int32_t dynamic_shared;     /* 1: uses memory whose size the launch gives */
  int32_t blocks_independent; /* 1: any range of blocks may run alone, in any order */
  const char* dependence;     /* if not: the instruction and line that prevent it; else "" */
  const char* signature;      /* "saxpy(int, float, const float*, float*)" where the source is known; else the name */
} heddle_kernel_info;

/* x must be at least 1. In y and z, 0 counts as 1, so that {n} is enough. */
typedef struct heddle_dim3 {
  uint32_t x, y, z;
} heddle_dim3;

/* The resources of an SM that one form of a kernel needs. */
typedef struct heddle_occupancy {
  size_t size;
  char form[32]; /* "whole grid", "range (box)", ... */
  uint32_t registers;
  uint32_t blocks; /* at once on an SM */
  uint64_t local_bytes, shared_bytes;
  double share; /* threads of those blocks over the most that an SM holds */
} heddle_occupancy;

/* By its name in the PTX, or by a name from the source that fits one kernel only: with or without namespaces, template
 * arguments and parameters, as "blur", "img::blur", "blur<float>", "blur(float*, int)". */
heddle_status heddle_module_kernel(heddle_module* module, const char* name, heddle_kernel** kernel);
/* The same with a signature in GrCUDA's NIDL, "saxpy(n: sint32, a: float, x: in pointer float, y: inout pointer
 * float)", or its compact form, "sint32, float, const pointer, pointer": heddle::Module::kernel. HEDDLE_PARSE_ERROR
 * with the place in the text, HEDDLE_INVALID_ARGUMENT where the PTX shows otherwise, with the instruction. */
heddle_status heddle_module_kernel_with_signature(heddle_module* module, const char* name, const char* signature,
                                                  heddle_kernel** kernel);
void heddle_kernel_free(heddle_kernel* kernel);
heddle_status heddle_kernel_get_info(heddle_kernel* kernel, heddle_kernel_info* info);
heddle_status heddle_kernel_get_parameter(heddle_kernel* kernel, size_t number, heddle_parameter* parameter);
/* How blocks of this shape, with so many bytes of dynamic shared memory, fill the SMs of a device (NULL or "": the
 * first), one entry for each form of the kernel. `count`: in, how many entries there is room for; out, how many there
 * are. As many as there is room for are written. Devices without SMs have no entry. `occupancies` may be NULL where the
 * count is 0; otherwise the first one's `size` counts for all. */
heddle_status heddle_kernel_occupancy(heddle_runtime* runtime, heddle_kernel* kernel, heddle_dim3 block,
                                      uint32_t shared, const char* device, heddle_occupancy* occupancies,
                                      size_t* count);

/* ---- Arrays ---- */

/* `bytes` zeros that kernels and the host use in turn. */
heddle_status heddle_array_create(heddle_runtime* runtime, size_t bytes, heddle_array** array);
/* Waits for the launches that use it. */
void heddle_array_free(heddle_array* array);
heddle_status heddle_array_bytes(heddle_array* array, size_t* bytes);
/* The bytes, once the launches in flight that write them are done. Returns the error of one that failed. Valid until
 * the next launch that writes this array, or heddle_array_write. */
heddle_status heddle_array_read(heddle_array* array, const void** data);
/* The bytes, for reading and changing, once no launch uses them. Valid until the next launch that uses this array. */
heddle_status heddle_array_write(heddle_array* array, void** data);
/* The same for a part, `bytes` bytes from byte `offset` on: waits for the launches that use these, and copies no
 * others from a device. */
heddle_status heddle_array_read_part(heddle_array* array, size_t offset, size_t bytes, const void** data);
heddle_status heddle_array_write_part(heddle_array* array, size_t offset, size_t bytes, void** data);
/* A part into and out of the caller's memory. */
heddle_status heddle_array_read_range(heddle_array* array, size_t offset, void* to, size_t bytes);
heddle_status heddle_array_write_range(heddle_array* array, size_t offset, const void* from, size_t bytes);
/* Begins to copy a part (`bytes`: HEDDLE_REST means to the end) to where the read functions find it, as soon as the
 * launches in flight that write it are done, and returns: they then wait for less. A hint: where a policy holds
 * launches back, where a call is open that uses the array, or where there is no memory, nothing happens. */
heddle_status heddle_array_prefetch(heddle_array* array, size_t offset, size_t bytes);
/* The address on a device (NULL or "": the first), for kernels that take pointers inside structures or arrays of
 * pointers. From now on, every launch on that device counts as reading and writing this array. */
heddle_status heddle_array_address(heddle_array* array, const char* device, uint64_t* address);

/* ---- Launches ---- */

typedef struct heddle_launch_options {
  size_t size;
  heddle_dim3 grid, block;    /* blocks, and threads of a block */
  uint32_t shared;            /* bytes of dynamic shared memory */
  int32_t cooperative;        /* not 0: blocks may synchronise with each other across the grid */
  const char* device;         /* id; NULL or "": the first */
  int32_t has_blocks;         /* not 0: only blocks [block_begin, block_end) of the grid */
  uint32_t processor_count;   /* 0: all */
  uint64_t block_begin;       /* linear id, x fastest */
  uint64_t block_end;         /* after the last */
  const uint32_t* processors; /* SMs of a GPU, or workers of the CPU device, ascending */
  int32_t timed;              /* not 0: heddle_launch_seconds will be called, for which a GPU has to take the time */
  heddle_tenant* tenant;      /* whose launch it is; NULL: nobody's */
} heddle_launch_options;

typedef HEDDLE_ENUM(heddle_argument_kind){
    HEDDLE_ARGUMENT_NULL = 0, /* a null pointer */
    HEDDLE_ARGUMENT_INTEGER = 1,   HEDDLE_ARGUMENT_FLOATING = 2,
    HEDDLE_ARGUMENT_STRUCTURE = 3, /* its bytes, padding included */
    HEDDLE_ARGUMENT_ARRAY = 4,     /* or a part of one */
    HEDDLE_ARGUMENT_IN = 5,        /* an array that is only read; see heddle_in */
    HEDDLE_ARGUMENT_OUT = 6,       /* or overwritten; see heddle_out */
    HEDDLE_ARGUMENT_INOUT = 7,     /* or read and modified */
    HEDDLE_ARGUMENT_OPAQUE = 8     /* an address of memory that belongs to no array; see heddle_opaque */
} heddle_argument_kind;

/* To the array's end. */
#define HEDDLE_REST SIZE_MAX

/* One argument; made by the functions below. This structure does not grow. */
typedef struct heddle_argument {
  heddle_argument_kind kind;
  uint32_t inline_bytes; /* the value is in `value`, with so many bytes; 0: `length` bytes at `value.data`; array: its
                            element */
  union {
    unsigned char bytes[16];
    const void* data; /* read by the launch, and not needed afterwards */
    heddle_array* array;
  } value;
  size_t offset, length; /* of a part of an array, in bytes; length HEDDLE_REST: to its end */
} heddle_argument;

/* A value of up to 16 bytes, which is copied, or a larger one, which must stay until the launch is made. */
static inline heddle_argument heddle_value(heddle_argument_kind kind, const void* data, size_t bytes) {
  heddle_argument made;
  memset(&made, 0, sizeof made);
  made.kind = kind;
  made.length = bytes;
  if (data != NULL && bytes > 0 && bytes <= sizeof made.value.bytes) {
    made.inline_bytes = (uint32_t)bytes;
    memcpy(made.value.bytes, data, bytes);
  } else {
    made.value.data = data;
  }
  return made;
}
static inline heddle_argument heddle_i8(int8_t v) { return heddle_value(HEDDLE_ARGUMENT_INTEGER, &v, sizeof v); }
static inline heddle_argument heddle_u8(uint8_t v) { return heddle_value(HEDDLE_ARGUMENT_INTEGER, &v, sizeof v); }
static inline heddle_argument heddle_i16(int16_t v) { return heddle_value(HEDDLE_ARGUMENT_INTEGER, &v, sizeof v); }
static inline heddle_argument heddle_u16(uint16_t v) { return heddle_value(HEDDLE_ARGUMENT_INTEGER, &v, sizeof v); }
static inline heddle_argument heddle_i32(int32_t v) { return heddle_value(HEDDLE_ARGUMENT_INTEGER, &v, sizeof v); }
static inline heddle_argument heddle_u32(uint32_t v) { return heddle_value(HEDDLE_ARGUMENT_INTEGER, &v, sizeof v); }
static inline heddle_argument heddle_i64(int64_t v) { return heddle_value(HEDDLE_ARGUMENT_INTEGER, &v, sizeof v); }
static inline heddle_argument heddle_u64(uint64_t v) { return heddle_value(HEDDLE_ARGUMENT_INTEGER, &v, sizeof v); }
static inline heddle_argument heddle_f32(float v) { return heddle_value(HEDDLE_ARGUMENT_FLOATING, &v, sizeof v); }
static inline heddle_argument heddle_f64(double v) { return heddle_value(HEDDLE_ARGUMENT_FLOATING, &v, sizeof v); }
/* A structure of `bytes` bytes, padding included. */
static inline heddle_argument heddle_structure(const void* data, size_t bytes) {
  return heddle_value(HEDDLE_ARGUMENT_STRUCTURE, data, bytes);
}
static inline heddle_argument heddle_null(void) { return heddle_value(HEDDLE_ARGUMENT_NULL, NULL, 0); }
/* `length` bytes of an array from byte `offset` on (HEDDLE_REST: to its end). The kernel gets the address of the first
 * and must stay within them: launches with parts that do not overlap do not depend on each other. */
static inline heddle_argument heddle_part(heddle_array* array, size_t offset, size_t length) {
  heddle_argument made;
  memset(&made, 0, sizeof made);
  made.kind = HEDDLE_ARGUMENT_ARRAY;
  made.value.array = array;
  made.offset = offset;
  made.length = length;
  return made;
}
static inline heddle_argument heddle_whole(heddle_array* array) { return heddle_part(array, 0, HEDDLE_REST); }
/* An array or a part with its element type: a kernel that takes other ones, where its source is known, is
 * HEDDLE_INVALID_ARGUMENT. Without it, an array fits every kernel. */
static inline heddle_argument heddle_typed(heddle_argument argument, heddle_element element) {
  if (argument.kind >= HEDDLE_ARGUMENT_ARRAY && argument.kind <= HEDDLE_ARGUMENT_INOUT)
    argument.inline_bytes = (uint32_t)element;
  return argument;
}
/* What the caller states about an array or a part, as in heddle_in(heddle_whole(x)). A launch whose PTX shows otherwise
 * is HEDDLE_INVALID_ARGUMENT, with the instruction. If the PTX does not show the access, it is a promise. It has no
 * effect on an argument that is not an array. */
static inline heddle_argument heddle_said(heddle_argument argument, heddle_argument_kind kind) {
  if (argument.kind == HEDDLE_ARGUMENT_ARRAY) argument.kind = kind;
  return argument;
}
/* Only read. */
static inline heddle_argument heddle_in(heddle_argument array) { return heddle_said(array, HEDDLE_ARGUMENT_IN); }
/* Every byte of it is overwritten: old bytes are not copied to the device, and new arrays are not filled with zeros
 * there. Bytes that the launch does not write are undefined then. */
static inline heddle_argument heddle_out(heddle_argument array) { return heddle_said(array, HEDDLE_ARGUMENT_OUT); }
static inline heddle_argument heddle_inout(heddle_argument array) { return heddle_said(array, HEDDLE_ARGUMENT_INOUT); }
/* An address of memory that belongs to no array. The launch runs after everything that is in flight, and everything
 * that is launched later runs after it. */
static inline heddle_argument heddle_opaque(uint64_t address) {
  return heddle_value(HEDDLE_ARGUMENT_OPAQUE, &address, sizeof address);
}

/* Runs a kernel. Returns at once. The next function with which the host waits returns an error that occurs later.
 * Arrays may be freed afterwards, which waits. HEDDLE_INVALID_ARGUMENT, naming the parameter, when the arguments do not
 * fit the kernel, or when the shape exceeds the device's limits. `launch`: NULL, or where the handle goes. */
heddle_status heddle_launch_kernel(heddle_runtime* runtime, heddle_kernel* kernel, const heddle_launch_options* options,
                                   const heddle_argument* arguments, size_t count, heddle_launch** launch);
/* ---- Tasks that are not kernels ---- */

/* The argument of a task's function; valid while it runs. */
typedef struct heddle_call_data {
  size_t size;
  const char* device; /* its id; "host" for heddle_call_host */
  void* stream;       /* on NVIDIA GPUs the CUstream to put work into; else NULL, and the function is the work */
  size_t count;       /* of arrays */
  void* const* data;  /* where each array or part begins: an address of the device's memory */
  const size_t* bytes;
} heddle_call_data;

/* 0: success; else the task has failed, and messages have the number, or the text of heddle_function_error. */
typedef int32_t (*heddle_function)(void* user, const heddle_call_data* call);
/* In a heddle_function that is about to return another number than 0: the sentence of its failure, which is copied. */
void heddle_function_error(const char* sentence);

typedef struct heddle_call_options {
  size_t size;
  const char* device; /* id; NULL or "": the first */
  int32_t timed;      /* as in heddle_launch_options */
} heddle_call_options;

/* Runs a function as a task, concurrently with launches and in order with them by its arrays: those of heddle_whole and
 * heddle_part, with heddle_in, heddle_out or heddle_inout, which is the default. Returns at once. On NVIDIA GPUs the
 * function is called on the host, now or when the stream may be used, and puts its work into `stream`. Elsewhere it
 * runs in the order of a queue, on a thread of Heddle's. It must not wait for the stream, nor use the runtime, which is
 * HEDDLE_INVALID_ARGUMENT inside it. `user` must exist until the task is done. The next function with which the host
 * waits returns a failure. `options`: NULL for the default. `launch`: NULL, or where the handle goes. */
heddle_status heddle_call(heddle_runtime* runtime, const heddle_call_options* options, heddle_function function,
                          void* user, const heddle_argument* arrays, size_t count, heddle_launch** launch);
/* Runs a function on the host, in this thread: waits for the launches that use the arrays, and returns when the
 * function has returned. */
heddle_status heddle_call_host(heddle_runtime* runtime, heddle_function function, void* user,
                               const heddle_argument* arrays, size_t count);

/* ---- Tenants: heddle::Tenant, in heddle/tenant.hpp ---- */

enum { HEDDLE_TENANT_LATENCY = 0, HEDDLE_TENANT_BATCH = 1 };
typedef struct heddle_tenant_options {
  size_t size;
  const char* name;
  int32_t kind;          /* latency: somebody waits for each of its requests; batch: only the rate counts */
  double quota;          /* the part of each device's processors that is its own while it has work, 0 to 1 */
  double slip;           /* how many times slower a kernel may be so that it takes fewer processors; 0: not at all */
  uint64_t memory_bytes; /* must be 0: arrays do not count */
} heddle_tenant_options;

heddle_status heddle_tenant_create(heddle_runtime* runtime, const heddle_tenant_options* options,
                                   heddle_tenant** tenant);
/* Takes effect with the next decision of the policy. */
heddle_status heddle_tenant_set(heddle_tenant* tenant, const heddle_tenant_options* options);
/* Waits for its launches. */
void heddle_tenant_free(heddle_tenant* tenant);

/* ---- Launches and calls that were made ---- */

/* Frees the handle; the launch continues. */
void heddle_launch_free(heddle_launch* launch);
heddle_status heddle_launch_done(heddle_launch* launch, int32_t* done);
/* Blocks until it is done; its error, or that of an earlier one because of which it was skipped. */
heddle_status heddle_launch_wait(heddle_launch* launch);
/* Time the device spent on it; waits. Copies before it do not count. HEDDLE_INVALID_ARGUMENT for a launch
 * without `timed`. */
heddle_status heddle_launch_seconds(heddle_launch* launch, double* seconds);
/* The id of the device that it ran on. */
heddle_status heddle_launch_device(heddle_launch* launch, const char** device);

#ifdef __cplusplus
}
#endif
#undef HEDDLE_ENUM

#endif
