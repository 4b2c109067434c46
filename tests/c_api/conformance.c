/* heddle.h used as C uses it: every function, on the CPU device (or on those named by the program's argument). */
#include <heddle/heddle.h>
#include <stdio.h>
#include <stdlib.h>

static int failures = 0;

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                          \
    }                                                                      \
  } while (0)
#define OK(call)                                                                                                  \
  do {                                                                                                            \
    const heddle_status status_ = (call);                                                                         \
    if (status_ != HEDDLE_OK) {                                                                                   \
      printf("%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call, heddle_status_name(status_), heddle_last_error()); \
      exit(1);                                                                                                    \
    }                                                                                                             \
  } while (0)
#define FAILS(call, expected, part)                                                                      \
  do {                                                                                                   \
    const heddle_status status_ = (call);                                                                \
    if (status_ != (expected) || strstr(heddle_last_error(), part) == NULL) {                            \
      printf("%s:%d: %s: %s: '%s' lacks '%s'\n", __FILE__, __LINE__, #call, heddle_status_name(status_), \
             heddle_last_error(), part);                                                                 \
      ++failures;                                                                                        \
    }                                                                                                    \
  } while (0)

static const char* const source =
    "struct Line { double a; float b; int c[4]; };\n"
    "__device__ int scale = 3;\n"
    "extern \"C\" __global__ void square(float* x, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] = x[i] * x[i];\n"
    "}\n"
    "extern \"C\" __global__ void reduce(const float* x, const float* y, float* z, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) atomicAdd(z, x[i] - y[i]);\n"
    "}\n"
    "extern \"C\" __global__ void kinds(double* to, Line line, float f, double d, long long big, short small, int* "
    "none) {\n"
    "  to[0] = line.a; to[1] = line.b; to[2] = line.c[3]; to[3] = f; to[4] = d; to[5] = (double)big; to[6] = small;\n"
    "  to[7] = none == nullptr; to[8] = scale;\n"
    "}\n"
    "__global__ void blocks(int* counts) { atomicAdd(&counts[blockIdx.x + gridDim.x * blockIdx.y], (int)blockDim.y); "
    "}\n"
    "extern \"C\" __global__ void wild(int* p, long long at) { p[at] = 1; }\n";

typedef struct {
  double a;
  float b;
  int32_t c[4];
} Line;

static heddle_kernel* named(heddle_module* module, const char* name) {
  heddle_kernel* kernel = NULL;
  OK(heddle_module_kernel(module, name, &kernel));
  CHECK(kernel != NULL);
  return kernel;
}

static heddle_array* zeros(heddle_runtime* runtime, size_t bytes) {
  heddle_array* array = NULL;
  OK(heddle_array_create(runtime, bytes, &array));
  return array;
}

static heddle_launch_options shape(uint32_t grid, uint32_t block) {
  heddle_launch_options options = {sizeof options, {grid, 0, 0}, {block, 0, 0}, 0, 0, NULL, 0, 0, 0, 0, NULL, 0};
  return options;
}

static void devices(heddle_runtime* runtime) {
  size_t count = 0;
  OK(heddle_device_count(runtime, &count));
  CHECK(count >= 1);
  heddle_device_info info = {sizeof info, 0};
  OK(heddle_device_get_info(runtime, 0, &info));
  CHECK(info.size == sizeof info && strlen(info.id) > 0 && strlen(info.name) > 0);
  CHECK(info.processors >= 1 && info.warp_size == 32 && info.memory_bytes > 0 && info.max_threads_per_block >= 1024);
  FAILS(heddle_device_get_info(runtime, count, &info), HEDDLE_NOT_FOUND, "no device number");

  /* A program of an older header gets the part that it knows. */
  struct {
    heddle_device_info info;
    unsigned char guard[8];
  } old;
  memset(&old, 0x5a, sizeof old);
  old.info.size = offsetof(heddle_device_info, processors);
  OK(heddle_device_get_info(runtime, 0, &old.info));
  CHECK(strcmp(old.info.id, info.id) == 0 && old.info.processors == 0x5a5a5a5a);

  double rate = 0;
  OK(heddle_measured_bandwidth(runtime, NULL, &rate));
  CHECK(rate > 1e6);
  FAILS(heddle_measured_link(runtime, "host", "host", &rate), HEDDLE_INVALID_ARGUMENT, "");
}

static void describe(heddle_runtime* runtime, heddle_module* module) {
  size_t count = 0;
  const char* text = NULL;
  OK(heddle_module_kernel_count(module, &count));
  CHECK(count == 5);
  OK(heddle_module_kernel_name(module, 0, &text));
  CHECK(text != NULL && strlen(text) > 0);
  FAILS(heddle_module_kernel_name(module, count, &text), HEDDLE_NOT_FOUND, "no kernel number");
  OK(heddle_module_ptx(module, &text));
  CHECK(strstr(text, ".version") != NULL);
  heddle_kernel* none = NULL;
  FAILS(heddle_module_kernel(module, "absent", &none), HEDDLE_NOT_FOUND, "absent");
  CHECK(none == NULL);

  heddle_kernel* reduce = named(module, "reduce");
  heddle_kernel_info info = {sizeof info, 0};
  OK(heddle_kernel_get_info(reduce, &info));
  CHECK(strcmp(info.name, "reduce") == 0 && info.parameter_count == 4 && info.atomics == 1 && info.registers > 0);
  heddle_parameter parameter = {sizeof parameter, 0};
  OK(heddle_kernel_get_parameter(reduce, 0, &parameter));
  CHECK(parameter.pointer == 1 && parameter.access == HEDDLE_ACCESS_READ && parameter.bytes == 8);
  OK(heddle_kernel_get_parameter(reduce, 2, &parameter));
  CHECK(parameter.access == HEDDLE_ACCESS_READ_WRITE && parameter.offset == 16);
  OK(heddle_kernel_get_parameter(reduce, 3, &parameter));
  CHECK(parameter.pointer == 0 && strcmp(parameter.type, "u32") == 0);
  FAILS(heddle_kernel_get_parameter(reduce, 4, &parameter), HEDDLE_NOT_FOUND, "no parameter number");
  const heddle_dim3 block = {256, 0, 0};
  heddle_occupancy filled[4];
  filled[0].size = sizeof filled[0];
  count = 4;
  OK(heddle_kernel_occupancy(runtime, reduce, block, 0, NULL, filled, &count));
  heddle_device_info device = {sizeof device, 0};
  OK(heddle_device_get_info(runtime, 0, &device));
  CHECK((count > 0) == (device.capability > 0));
  if (count > 0) CHECK(strcmp(filled[0].form, "whole grid") == 0 && filled[0].blocks > 0);
  heddle_kernel_free(reduce);
}

static void vectors(heddle_runtime* runtime, heddle_module* module) {
  enum { n = 100000 };
  heddle_array *x = zeros(runtime, n * sizeof(float)), *y = zeros(runtime, n * sizeof(float)),
               *z = zeros(runtime, sizeof(float));
  void* to = NULL;
  OK(heddle_array_write(x, &to));
  for (int i = 0; i < n; ++i) ((float*)to)[i] = (float)(i % 7);
  heddle_kernel *square = named(module, "square"), *reduce = named(module, "reduce");
  heddle_launch_options options = shape((n + 255) / 256, 256);
  const heddle_argument on_x[] = {heddle_whole(x), heddle_i32(n)}, on_y[] = {heddle_whole(y), heddle_i32(n)};
  OK(heddle_launch_kernel(runtime, square, &options, on_x, 2, NULL));
  OK(heddle_launch_kernel(runtime, square, &options, on_y, 2, NULL));
  const heddle_argument all[] = {heddle_whole(x), heddle_whole(y), heddle_whole(z), heddle_i32(n)};
  heddle_launch *last = NULL, *untimed = NULL;
  options.timed = 1;
  OK(heddle_launch_kernel(runtime, reduce, &options, all, 4, &last));
  options.timed = 0;
  OK(heddle_launch_kernel(runtime, square, &options, on_y, 2, &untimed));
  /* Handles may go while the launch is under way. */
  heddle_kernel_free(square);
  heddle_kernel_free(reduce);
  float sum = 0, expected = 0;
  for (int i = 0; i < n; ++i) expected += (float)((i % 7) * (i % 7));
  OK(heddle_array_read_range(z, 0, &sum, sizeof sum));
  CHECK(sum == expected);
  int32_t done = 0;
  double seconds = -1;
  const char* device = NULL;
  OK(heddle_launch_wait(last));
  OK(heddle_launch_done(last, &done));
  OK(heddle_launch_seconds(last, &seconds));
  OK(heddle_launch_device(last, &device));
  CHECK(done == 1 && seconds >= 0 && strlen(device) > 0);
  FAILS(heddle_launch_seconds(untimed, &seconds), HEDDLE_INVALID_ARGUMENT, "timed");
  heddle_launch_free(untimed);
  heddle_launch_free(last);
  heddle_array_free(x);
  heddle_array_free(y);
  heddle_array_free(z);
}

static void kinds_of_arguments(heddle_runtime* runtime, heddle_module* module) {
  heddle_kernel* kinds = named(module, "kinds");
  heddle_array* to = zeros(runtime, 9 * sizeof(double));
  const Line line = {1.5, 2.5f, {0, 0, 0, -7}};
  const heddle_argument list[] = {heddle_whole(to),
                                  heddle_structure(&line, sizeof line),
                                  heddle_f32(0.25f),
                                  heddle_f64(1e100),
                                  heddle_i64(-5000000000),
                                  heddle_i16(-3),
                                  heddle_null()};
  const heddle_launch_options options = shape(1, 1);
  const int32_t scale = 11;
  int32_t read = 0;
  OK(heddle_module_read_variable(module, "scale", 0, &read, sizeof read, NULL));
  CHECK(read == 3);
  heddle_variable_info info = {0};
  info.size = sizeof info;
  OK(heddle_module_get_variable_info(module, "scale", &info));
  CHECK(info.element == HEDDLE_ELEMENT_I32 && info.is_array == 0 && info.bytes == sizeof scale);
  const float other = 11;
  FAILS(heddle_module_set_variable(module, "scale", HEDDLE_ELEMENT_F32, &other, sizeof other, NULL),
        HEDDLE_INVALID_ARGUMENT, "32-bit integers");
  OK(heddle_module_set_variable(module, "scale", HEDDLE_ELEMENT_I32, &scale, sizeof scale, NULL));
  OK(heddle_module_get_variable(module, "scale", HEDDLE_ELEMENT_I32, &read, sizeof read, NULL));
  CHECK(read == scale);
  OK(heddle_module_write_variable(module, "scale", 0, &scale, sizeof scale, NULL));
  FAILS(heddle_module_write_variable(module, "scale", 2, &scale, sizeof scale, NULL), HEDDLE_INVALID_ARGUMENT, "");
  OK(heddle_launch_kernel(runtime, kinds, &options, list, 7, NULL));
  const double expected[9] = {1.5, 2.5, -7, 0.25, 1e100, -5e9, -3, 1, 11};
  const void* found = NULL;
  OK(heddle_array_read(to, &found));
  CHECK(memcmp(found, expected, sizeof expected) == 0);
  heddle_kernel_free(kinds);
  heddle_array_free(to);
}

static void parts_and_shapes(heddle_runtime* runtime, heddle_module* module) {
  heddle_kernel *blocks = named(module, "blocks"), *square = named(module, "square");
  heddle_array* counts = zeros(runtime, 6 * sizeof(int32_t));
  heddle_launch_options options = shape(3, 4);
  options.grid.y = 2;
  options.block.y = 5;
  options.has_blocks = 1;
  options.block_begin = 1;
  options.block_end = 4;
  const heddle_argument whole = heddle_whole(counts);
  OK(heddle_launch_kernel(runtime, blocks, &options, &whole, 1, NULL));
  int32_t found[6];
  OK(heddle_array_read_range(counts, 0, found, sizeof found));
  CHECK(found[0] == 0 && found[1] == 100 && found[2] == 100 && found[3] == 100 && found[4] == 0 && found[5] == 0);

  heddle_array* x = zeros(runtime, 8 * sizeof(float));
  const float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  OK(heddle_array_write_range(x, 0, values, sizeof values));
  const heddle_launch_options one = shape(1, 32);
  const heddle_argument part[] = {heddle_part(x, 8, 12), heddle_i32(3)};
  OK(heddle_launch_kernel(runtime, square, &one, part, 2, NULL));
  float squares[4];
  OK(heddle_array_read_range(x, 4, squares, sizeof squares));
  CHECK(squares[0] == 2 && squares[1] == 9 && squares[2] == 16 && squares[3] == 25);
  const void* seen = NULL;
  void* to = NULL;
  OK(heddle_array_read_part(x, 12, 4, &seen));
  CHECK(*(const float*)seen == 16);
  OK(heddle_array_write_part(x, 28, 4, &to));
  *(float*)to = 50;
  OK(heddle_array_prefetch(x, 0, HEDDLE_REST));
  OK(heddle_array_prefetch(x, 32, HEDDLE_REST));
  OK(heddle_array_prefetch(x, 28, 4));
  FAILS(heddle_array_prefetch(x, 28, 5), HEDDLE_INVALID_ARGUMENT, "heddle_array_prefetch: 5 bytes from byte 28 on");
  FAILS(heddle_array_prefetch(x, 33, HEDDLE_REST), HEDDLE_INVALID_ARGUMENT, "no part of an array of 32");
  OK(heddle_array_read_range(x, 28, squares, 4));
  CHECK(squares[0] == 50);
  FAILS(heddle_array_read_part(x, 0, 33, &seen), HEDDLE_INVALID_ARGUMENT, "no part of an array of 32");
  size_t bytes = 0;
  uint64_t address = 0;
  OK(heddle_array_bytes(x, &bytes));
  OK(heddle_array_address(x, NULL, &address));
  CHECK(bytes == 32 && address != 0);
  FAILS(heddle_array_read_range(x, 30, squares, 4), HEDDLE_INVALID_ARGUMENT, "no part of an array of 32");
  const heddle_argument beyond[] = {heddle_part(x, 8, 28), heddle_i32(3)};
  FAILS(heddle_launch_kernel(runtime, square, &one, beyond, 2, NULL), HEDDLE_INVALID_ARGUMENT, "slice");
  heddle_array_free(x);
  heddle_array_free(counts);
  heddle_kernel_free(blocks);
  heddle_kernel_free(square);
}

/* Directions, in signatures and of arguments. */
static void directions(heddle_runtime* runtime, heddle_module* module) {
  enum { n = 100 };
  heddle_kernel *reduce = NULL, *none = NULL;
  OK(heddle_module_kernel_with_signature(module, "reduce",
                                         "reduce(x: in pointer float, y: const pointer float, z: inout "
                                         "pointer float, n: sint32)",
                                         &reduce));
  FAILS(heddle_module_kernel_with_signature(module, "reduce", "pointer, pinter", &none), HEDDLE_PARSE_ERROR,
        "at character 10 stands 'pinter'");
  FAILS(heddle_module_kernel_with_signature(module, "square", "in pointer, sint32", &none), HEDDLE_INVALID_ARGUMENT,
        "but the kernel writes there: 'st.");
  CHECK(none == NULL);
  heddle_array *x = zeros(runtime, n * sizeof(float)), *y = zeros(runtime, n * sizeof(float)),
               *z = zeros(runtime, sizeof(float));
  const heddle_launch_options options = shape(1, 128);
  const float three = 3;
  float sum = 0;
  OK(heddle_array_write_range(x, 8, &three, sizeof three));
  heddle_argument list[] = {heddle_in(heddle_whole(x)), heddle_whole(y), heddle_inout(heddle_whole(z)), heddle_i32(n)};
  OK(heddle_launch_kernel(runtime, reduce, &options, list, 4, NULL));
  OK(heddle_array_read_range(z, 0, &sum, sizeof sum));
  CHECK(sum == 3);
  list[2] = heddle_out(heddle_whole(z));
  FAILS(heddle_launch_kernel(runtime, reduce, &options, list, 4, NULL), HEDDLE_INVALID_ARGUMENT, "is said to be 'out'");
  list[2] = heddle_u64(64);
  FAILS(heddle_launch_kernel(runtime, reduce, &options, list, 4, NULL), HEDDLE_INVALID_ARGUMENT, "heddle::opaque");
  uint64_t address = 0;
  OK(heddle_array_address(z, NULL, &address));
  list[2] = heddle_opaque(address);
  OK(heddle_launch_kernel(runtime, reduce, &options, list, 4, NULL));
  OK(heddle_array_read_range(z, 0, &sum, sizeof sum));
  CHECK(sum == 6);
  heddle_kernel_free(reduce);
  heddle_array_free(x);
  heddle_array_free(y);
  heddle_array_free(z);
}

static int32_t add_first(void* user, const heddle_call_data* call) {
  if (call->count != 2 || call->bytes[0] != 8 || call->bytes[1] != 4) return 1;
  if (call->stream == NULL) *(float*)call->data[1] += ((const float*)call->data[0])[1];
  *(int*)user += 1;
  return 0;
}
static int32_t fail_with_7(void* user, const heddle_call_data* call) {
  return user == NULL && call->size == sizeof *call ? 7 : 0;
}

/* Functions as tasks, on the device and on the host. */
static int32_t fail_with_a_sentence(void* user, const heddle_call_data* call) {
  heddle_function_error("the tape has torn");
  return (int32_t)(call->count + (user == NULL));
}

static void calls(heddle_runtime* runtime, heddle_module* module) {
  heddle_kernel* square = named(module, "square");
  heddle_array *x = zeros(runtime, 16), *sum = zeros(runtime, 4);
  const float two = 2;
  float found = 0;
  int ran = 0;
  OK(heddle_array_write_range(x, 8, &two, sizeof two));
  const heddle_launch_options options = shape(1, 32);
  const heddle_argument on_x[] = {heddle_whole(x), heddle_i32(4)};
  const heddle_argument arrays[] = {heddle_in(heddle_part(x, 4, 8)), heddle_whole(sum)};
  OK(heddle_launch_kernel(runtime, square, &options, on_x, 2, NULL));
  const heddle_call_options timed = {sizeof timed, NULL, 1};
  heddle_launch* call = NULL;
  OK(heddle_call(runtime, &timed, add_first, &ran, arrays, 2, &call));
  double seconds = -1;
  OK(heddle_launch_seconds(call, &seconds));
  CHECK(ran == 1 && seconds >= 0);
  heddle_launch_free(call);
  OK(heddle_array_read_range(sum, 0, &found, sizeof found));
  heddle_device_info device = {sizeof device, 0};
  OK(heddle_device_get_info(runtime, 0, &device));
  CHECK(found == (device.capability == 0 ? 4 : 0)); /* a GPU's function has put nothing into the stream */
  OK(heddle_call_host(runtime, add_first, &ran, arrays, 2));
  OK(heddle_array_read_range(sum, 0, &found, sizeof found));
  CHECK(ran == 2 && found == (device.capability == 0 ? 8 : 4));
  FAILS(heddle_call_host(runtime, fail_with_7, NULL, arrays, 2), HEDDLE_INVALID_ARGUMENT,
        "heddle_call_host returned 7");
  OK(heddle_call(runtime, NULL, fail_with_7, NULL, arrays, 2, NULL));
  FAILS(heddle_array_read_range(sum, 0, &found, sizeof found), HEDDLE_INVALID_ARGUMENT, "heddle_call returned 7");
  FAILS(heddle_call_host(runtime, fail_with_a_sentence, NULL, arrays, 2), HEDDLE_INVALID_ARGUMENT, "the tape has torn");
  FAILS(heddle_call_host(runtime, fail_with_7, NULL, arrays, 2), HEDDLE_INVALID_ARGUMENT, "returned 7");
  const heddle_argument number = heddle_i32(1);
  FAILS(heddle_call(runtime, NULL, add_first, &ran, &number, 1, NULL), HEDDLE_INVALID_ARGUMENT, "is no array");
  FAILS(heddle_call(runtime, NULL, NULL, NULL, arrays, 2, NULL), HEDDLE_INVALID_ARGUMENT, "the function is NULL");
  heddle_kernel_free(square);
  heddle_array_free(x);
  heddle_array_free(sum);
}

/* The runtime that verifies accesses, made with options: its kernel's fault is the error of the wait. */
static void faults(const char* device) {
  heddle_runtime_options options = {sizeof options, 0};
  options.devices = device;
  options.check = 1;
  options.workers = 1;
  options.early_start_bytes = HEDDLE_EARLY_START_OFF;
  heddle_runtime* runtime = NULL;
  OK(heddle_runtime_create(&options, &runtime));
  heddle_compile_options compile = {sizeof compile, 0};
  const char* const defines[] = {"UNUSED=1"};
  compile.defines = defines;
  compile.define_count = 1;
  compile.opt = HEDDLE_OPT_0;
  heddle_module* module = NULL;
  OK(heddle_module_compile(runtime, source, "wild.cu", &compile, &module));
  heddle_kernel* wild = named(module, "wild");
  heddle_array* p = zeros(runtime, 64);
  const heddle_argument list[] = {heddle_whole(p), heddle_i64(1 << 20)};
  const heddle_launch_options once = shape(1, 1);
  heddle_launch* launch = NULL;
  OK(heddle_launch_kernel(runtime, wild, &once, list, 2, &launch));
  FAILS(heddle_launch_wait(launch), HEDDLE_KERNEL_FAULT, "wild");
  CHECK(heddle_last_fault() == HEDDLE_FAULT_MEMORY_ACCESS);
  /* The runtime may go first; what is left of it goes with the last handle. */
  (void)heddle_runtime_synchronize(runtime);
  heddle_runtime_free(runtime);
  heddle_launch_free(launch);
  heddle_kernel_free(wild);
  heddle_module_free(module);
  size_t bytes = 0;
  OK(heddle_array_bytes(p, &bytes));
  CHECK(bytes == 64);
  heddle_array_free(p);
}

/* Launches that name no device take turns on two. */
static void placed(void) {
  heddle_runtime_options options = {sizeof options, 0};
  options.devices = "cpu,interp";
  options.placement = HEDDLE_PLACEMENT_ROUND_ROBIN;
  heddle_runtime* runtime = NULL;
  OK(heddle_runtime_create(&options, &runtime));
  heddle_module* module = NULL;
  OK(heddle_module_compile(runtime, source, "placed.cu", NULL, &module));
  heddle_kernel* square = named(module, "square");
  heddle_array* x = zeros(runtime, 4 * sizeof(float));
  const heddle_argument list[] = {heddle_whole(x), heddle_i32(4)};
  const heddle_launch_options once = shape(1, 32);
  const char* const expected[] = {"cpu", "interp", "cpu"};
  for (int i = 0; i < 3; ++i) {
    heddle_launch* launch = NULL;
    const char* on = NULL;
    OK(heddle_launch_kernel(runtime, square, &once, list, 2, &launch));
    OK(heddle_launch_device(launch, &on));
    CHECK(on != NULL && strcmp(on, expected[i]) == 0);
    heddle_launch_free(launch);
  }
  OK(heddle_runtime_synchronize(runtime));
  heddle_array_free(x);
  heddle_kernel_free(square);
  heddle_module_free(module);
  heddle_runtime_free(runtime);
}

static void load_again(heddle_runtime* runtime, heddle_module* module) {
  const char* text = NULL;
  OK(heddle_module_ptx(module, &text));
  heddle_module* again = NULL;
  OK(heddle_module_load_ptx(runtime, text, "again", &again));
  heddle_kernel* kernel = named(again, "square");
  heddle_module_free(again);
  heddle_kernel_info info = {sizeof info, 0};
  OK(heddle_kernel_get_info(kernel, &info));
  CHECK(info.blocks_independent == 1 && strcmp(info.dependence, "") == 0);
  heddle_kernel_free(kernel);
  again = NULL;
  FAILS(heddle_module_load_ptx(runtime, "this is no PTX", NULL, &again), HEDDLE_PARSE_ERROR, "ptx:1");
  FAILS(heddle_module_load_ptx_file(runtime, "/absent.ptx", &again), HEDDLE_NOT_FOUND, "/absent.ptx");
  FAILS(heddle_module_load_file(runtime, "kernels.txt", NULL, &again), HEDDLE_INVALID_ARGUMENT, "kernels.txt");
  FAILS(heddle_module_compile_file(runtime, "/absent.cu", NULL, &again), HEDDLE_NOT_FOUND, "/absent.cu");
  FAILS(heddle_module_compile(runtime, "not C++", NULL, NULL, &again), HEDDLE_COMPILE_ERROR, "source.cu");
  char* ptx = NULL;
  FAILS(heddle_compile_to_ptx("/absent.cu", NULL, &ptx), HEDDLE_NOT_FOUND, "/absent.cu");
  CHECK(again == NULL && ptx == NULL);
  heddle_text_free(ptx);
}

int main(int count, char** words) {
  const char* const device = count > 1 ? words[1] : "cpu";
  CHECK(strcmp(heddle_version(), "0.1.0") == 0);
  heddle_runtime_options options = {sizeof options, 0};
  options.devices = device;
  heddle_runtime* runtime = NULL;
  OK(heddle_runtime_create(&options, &runtime));
  heddle_module* module = NULL;
  OK(heddle_module_compile(runtime, source, "conformance.cu", NULL, &module));
  devices(runtime);
  describe(runtime, module);
  vectors(runtime, module);
  kinds_of_arguments(runtime, module);
  parts_and_shapes(runtime, module);
  directions(runtime, module);
  calls(runtime, module);
  load_again(runtime, module);
  faults(device);
  if (strcmp(device, "cpu") == 0) placed();
  OK(heddle_runtime_synchronize(runtime));
  OK(heddle_runtime_write_trace(runtime));
  heddle_module_free(module);
  heddle_runtime_free(runtime);
  if (failures == 0) puts("ok");
  return failures == 0 ? 0 : 1;
}
