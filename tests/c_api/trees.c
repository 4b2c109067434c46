/* heddle/skeleton.h used as C uses it: every function. */
#include <heddle/skeleton.h>
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

enum { n = 4096 };

static const char* const source =
    "extern \"C\" __global__ void scale(int n, float a, const float* from, float* to) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) to[i] = a * from[i];\n"
    "}\n"
    "extern \"C\" __global__ void largest(int n, const float* from, float* to) {\n"
    "  if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;\n"
    "  for (int i = 0; i < n; ++i) to[0] = fmaxf(to[0], from[i]);\n"
    "}\n"
    "extern \"C\" __global__ void count(int n, const float* from, unsigned* to) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) atomicAdd(to, (unsigned)from[i]);\n"
    "}\n";

static heddle_binding slot(uint32_t number) {
  heddle_binding made;
  memset(&made, 0, sizeof made);
  made.size = sizeof made;
  made.kind = HEDDLE_BINDING_SLOT;
  made.slot = number;
  return made;
}
static heddle_binding trait(int32_t kind) {
  heddle_binding made = slot(0);
  made.kind = kind;
  return made;
}
static heddle_binding number(float value) {
  heddle_binding made = trait(HEDDLE_BINDING_NUMBER);
  made.number = heddle_f32(value);
  return made;
}

static heddle_tree_argument floats(heddle_array* array) {
  heddle_tree_argument made;
  memset(&made, 0, sizeof made);
  made.argument = heddle_typed(heddle_whole(array), HEDDLE_ELEMENT_F32);
  made.element_bytes = sizeof(float);
  made.element = HEDDLE_ELEMENT_F32;
  made.number = HEDDLE_NUMBER_FLOATING;
  return made;
}

static float first(heddle_array* array) {
  const void* data = NULL;
  OK(heddle_array_read(array, &data));
  return *(const float*)data;
}

static int released = 0;
static void release(void* user) { released += *(int*)user; }

static int32_t greatest(void* user, void* whole, const void* part, size_t bytes) {
  size_t i;
  (void)user;
  for (i = 0; i < bytes / sizeof(float); ++i)
    if (((const float*)part)[i] > ((float*)whole)[i]) ((float*)whole)[i] = ((const float*)part)[i];
  return 0;
}

static int32_t below_hundred(void* user, heddle_loop_view* view, int32_t* more) {
  const void* data = NULL;
  size_t bytes = 0, iteration = 9;
  (void)user;
  if (heddle_loop_iteration(view, &iteration) != HEDDLE_OK) return 1;
  if (heddle_loop_read(view, 0, sizeof(float), &data, &bytes) != HEDDLE_OK) return 2;
  if (bytes != n * sizeof(float)) return 3;
  *more = *(const float*)data < 100;
  return 0;
}
static int32_t triple(void* user, heddle_loop_view* view) {
  const heddle_argument three = heddle_f32(3);
  (void)user;
  return heddle_loop_set(view, 1, &three) == HEDDLE_OK ? 0 : 1;
}
static int32_t fail(void* user, heddle_loop_view* view) {
  (void)user;
  (void)view;
  heddle_function_error("no further");
  return 7;
}

static heddle_tree_run* start(heddle_executor* executor, heddle_tree* tree, heddle_tree_argument a,
                              heddle_tree_argument b) {
  const heddle_tree_argument arguments[] = {a, b};
  heddle_tree_run* run = NULL;
  OK(heddle_executor_run(executor, tree, arguments, 2, &run));
  return run;
}

static void check_pipeline(heddle_executor* executor, heddle_tree* twice, heddle_tree* back, heddle_array* x,
                           heddle_array* y) {
  heddle_tree *stages[] = {twice, back, twice}, *pipeline = NULL, *map = NULL;
  heddle_tree_run* run = NULL;
  heddle_tree_report report;
  heddle_part_report part;
  const char* name = NULL;
  int32_t done = 0;
  uint64_t units = 0;
  size_t i;
  OK(heddle_tree_pipeline(stages, 3, &pipeline));
  OK(heddle_tree_map(pipeline, &map));
  OK(heddle_tree_name(map, &name));
  CHECK(strncmp(name, "map(pipeline(scale,scale,scale)) ", 33) == 0);
  OK(heddle_executor_run(executor, map, (heddle_tree_argument[]){floats(x), floats(y)}, 2, &run));
  OK(heddle_tree_run_wait(run));
  OK(heddle_tree_run_done(run, &done));
  CHECK(done == 1);
  CHECK(first(y) == 8);
  memset(&report, 0, sizeof report);
  report.size = sizeof report;
  OK(heddle_tree_run_report(run, &report));
  CHECK(report.part_count >= 1 && report.kernel_count == 3);
  CHECK(strcmp(report.fission, "none") == 0);
  for (i = 0; i < report.part_count; ++i) {
    memset(&part, 0, sizeof part);
    part.size = sizeof part;
    OK(heddle_tree_run_part(run, i, &part));
    CHECK(part.first == units && part.launches == 3 && part.seconds > 0);
    units += part.count;
  }
  CHECK(units == n);
  OK(heddle_tree_run_kernel(run, 2, &name));
  CHECK(strcmp(name, "scale") == 0);
  FAILS(heddle_tree_run_part(run, 99, &part), HEDDLE_INVALID_ARGUMENT, "no part 99");
  FAILS(heddle_tree_run_kernel(run, 3, &name), HEDDLE_INVALID_ARGUMENT, "no kernel 3");
  heddle_tree_run_free(run);
  OK(heddle_executor_tune(executor, map, (heddle_tree_argument[]){floats(x), floats(y)}, 2));
  heddle_tree_free(pipeline);
  heddle_tree_free(map);
}

static void check_loops(heddle_executor* executor, heddle_kernel* scale, heddle_array* x) {
  const heddle_binding bindings[] = {trait(HEDDLE_BINDING_TOTAL), slot(1), slot(0), slot(0)};
  heddle_tree *body = NULL, *loop = NULL;
  heddle_tree_argument factor;
  heddle_tree_run* run = NULL;
  heddle_loop_state state;
  void* data = NULL;
  static int weight = 1;
  size_t i;
  memset(&factor, 0, sizeof factor);
  factor.argument = heddle_f32(2);
  OK(heddle_array_write(x, &data));
  for (i = 0; i < n; ++i) ((float*)data)[i] = 1;
  OK(heddle_tree_kernel(scale, NULL, bindings, 4, &body));
  memset(&state, 0, sizeof state);
  state.size = sizeof state;
  FAILS(heddle_tree_loop(body, &state, &loop), HEDDLE_INVALID_ARGUMENT, "iterations");
  state.condition = below_hundred;
  state.update = triple;
  state.user = &weight;
  state.release = release;
  state.global_sync = 1;
  OK(heddle_tree_loop(body, &state, &loop));
  run = start(executor, loop, floats(x), factor);
  OK(heddle_tree_run_wait(run));
  CHECK(first(x) == 162); /* 2, 6, 18, 54, 162 */
  heddle_tree_run_free(run);
  heddle_tree_free(loop);
  state.update = fail;
  OK(heddle_tree_loop(body, &state, &loop));
  heddle_tree_free(body);
  OK(heddle_array_write(x, &data));
  for (i = 0; i < n; ++i) ((float*)data)[i] = 1;
  run = start(executor, loop, floats(x), factor);
  FAILS(heddle_tree_run_wait(run), HEDDLE_INVALID_ARGUMENT, "no further");
  heddle_tree_run_free(run);
  heddle_tree_free(loop);
}

static void check_reductions(heddle_executor* executor, heddle_kernel* largest, heddle_kernel* count,
                             heddle_tree* twice, heddle_array* x, heddle_array* y, heddle_array* result) {
  heddle_binding bindings[] = {trait(HEDDLE_BINDING_SIZE), slot(1), slot(2)};
  const float least = -1e30f;
  heddle_tree *reduction = NULL, *tree = NULL;
  heddle_tree_argument arguments[3];
  heddle_tree_run* run = NULL;
  void* data = NULL;
  static int weight = 100;
  size_t i;
  OK(heddle_array_write(x, &data));
  for (i = 0; i < n; ++i) ((float*)data)[i] = (float)(i % 1000);
  OK(heddle_array_write(result, &data));
  *(float*)data = 0;
  bindings[1].unit = 256;
  bindings[2].merge = HEDDLE_MERGE_FUNCTION;
  FAILS(heddle_tree_kernel(largest, NULL, bindings, 3, &reduction), HEDDLE_INVALID_ARGUMENT, "function is NULL");
  bindings[2].function = greatest;
  bindings[2].neutral = &least;
  bindings[2].neutral_bytes = sizeof least;
  bindings[2].user = &weight;
  bindings[2].release = release;
  OK(heddle_tree_kernel(largest, NULL, bindings, 3, &reduction));
  OK(heddle_tree_map_reduce(twice, reduction, &tree));
  arguments[0] = floats(x);
  arguments[1] = floats(y);
  arguments[2] = floats(result);
  OK(heddle_executor_run(executor, tree, arguments, 3, &run));
  OK(heddle_tree_run_wait(run));
  CHECK(first(result) == 1998);
  heddle_tree_run_free(run);
  heddle_tree_free(reduction);
  heddle_tree_free(tree);

  OK(heddle_array_write(result, &data));
  *(uint32_t*)data = 10;
  bindings[0] = trait(HEDDLE_BINDING_TOTAL);
  bindings[1] = slot(0);
  bindings[2] = slot(1);
  bindings[2].merge = HEDDLE_MERGE_ADD;
  OK(heddle_tree_kernel(count, NULL, bindings, 3, &tree));
  arguments[1] = floats(result);
  arguments[1].argument = heddle_whole(result);
  arguments[1].element = HEDDLE_ELEMENT_I32;
  arguments[1].number = HEDDLE_NUMBER_UNSIGNED;
  OK(heddle_executor_run(executor, tree, arguments, 2, &run));
  OK(heddle_tree_run_wait(run));
  OK(heddle_array_read(result, (const void**)&data));
  CHECK(*(uint32_t*)data == 10 + 4 * 499500 + 96 * 95 / 2);
  heddle_tree_run_free(run);
  heddle_tree_free(tree);
}

int main(int argc, char** argv) {
  heddle_runtime_options options;
  heddle_executor_options executor_options;
  heddle_runtime* runtime = NULL;
  heddle_module* module = NULL;
  heddle_kernel *scale = NULL, *largest = NULL, *count = NULL;
  heddle_array *x = NULL, *y = NULL, *result = NULL;
  heddle_executor* executor = NULL;
  heddle_tree *twice = NULL, *back = NULL;
  heddle_tree_run* run = NULL;
  heddle_tree_argument wrong;
  void* data = NULL;
  size_t i;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.devices = argc > 1 ? argv[1] : "cpu";
  OK(heddle_runtime_create(&options, &runtime));
  OK(heddle_module_compile(runtime, source, "trees.cu", NULL, &module));
  OK(heddle_module_kernel(module, "scale", &scale));
  OK(heddle_module_kernel(module, "largest", &largest));
  OK(heddle_module_kernel(module, "count", &count));
  OK(heddle_array_create(runtime, n * sizeof(float), &x));
  OK(heddle_array_create(runtime, n * sizeof(float), &y));
  OK(heddle_array_create(runtime, sizeof(float), &result));
  OK(heddle_array_write(x, &data));
  for (i = 0; i < n; ++i) ((float*)data)[i] = 4;
  memset(&executor_options, 0, sizeof executor_options);
  executor_options.size = sizeof executor_options;
  executor_options.knowledge = "none";
  executor_options.fission = "none";
  executor_options.max_deviation = 1.5;
  FAILS(heddle_executor_create(runtime, &executor_options, &executor), HEDDLE_INVALID_ARGUMENT,
        "max_deviation is 1.5; it is 0 to 1");
  executor_options.max_deviation = 0;
  OK(heddle_executor_create(runtime, &executor_options, &executor));
  {
    const heddle_binding there[] = {trait(HEDDLE_BINDING_TOTAL), number(2), slot(0), slot(1)};
    const heddle_binding here[] = {trait(HEDDLE_BINDING_TOTAL), number(0.5f), slot(1), slot(0)};
    const uint32_t no_threads[] = {64, 0};
    heddle_tree_kernel_options shape;
    memset(&shape, 0, sizeof shape);
    shape.size = sizeof shape;
    shape.block = 128;
    OK(heddle_tree_kernel(scale, &shape, there, 4, &twice));
    OK(heddle_tree_kernel(scale, NULL, here, 4, &back));
    FAILS(heddle_tree_kernel(scale, NULL, here, 3, &back), HEDDLE_INVALID_ARGUMENT, "4 parameters");
    shape.blocks = no_threads;
    shape.block_count = 2;
    FAILS(heddle_tree_kernel(scale, &shape, here, 4, &back), HEDDLE_INVALID_ARGUMENT, "at least one thread");
  }
  check_pipeline(executor, twice, back, x, y);
  check_loops(executor, scale, x);
  check_reductions(executor, largest, count, twice, x, y, result);
  wrong = floats(x);
  wrong.element_bytes = 0;
  FAILS(heddle_executor_run(executor, twice, &wrong, 1, &run), HEDDLE_INVALID_ARGUMENT, "element_bytes");
  wrong.element_bytes = 3;
  FAILS(heddle_executor_run(executor, twice, &wrong, 1, &run), HEDDLE_INVALID_ARGUMENT, "no whole number");
  FAILS(heddle_executor_run(NULL, twice, &wrong, 1, &run), HEDDLE_INVALID_ARGUMENT, "the executor is NULL");
  heddle_tree_free(twice);
  heddle_tree_free(back);
  CHECK(released == 102); /* a run that has been waited for holds no function of the caller */
  heddle_executor_free(executor);
  heddle_array_free(x);
  heddle_array_free(y);
  heddle_array_free(result);
  heddle_kernel_free(scale);
  heddle_kernel_free(largest);
  heddle_kernel_free(count);
  heddle_module_free(module);
  heddle_runtime_free(runtime);
  if (failures == 0) printf("passed\n");
  return failures == 0 ? 0 : 1;
}
