// What the C interface refuses, and that it says so in a sentence instead of throwing or crashing.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>

#include "heddle/heddle.h"

namespace heddle::tests {
namespace {

// The status of a refused call, with the sentence that goes with it.
::testing::AssertionResult refused(heddle_status status, const std::string& part) {
  const std::string message = heddle_last_error();
  if (status != HEDDLE_INVALID_ARGUMENT)
    return ::testing::AssertionFailure() << heddle_status_name(status) << ": " << message;
  if (message.find(part) == std::string::npos) return ::testing::AssertionFailure() << message;
  return ::testing::AssertionSuccess();
}

class CApi : public ::testing::Test {
 protected:
  CApi() {
    heddle_runtime_options options{};
    options.size = sizeof options;
    options.devices = "interp";
    if (heddle_runtime_create(&options, &runtime) != HEDDLE_OK) throw std::runtime_error(heddle_last_error());
  }
  ~CApi() override { heddle_runtime_free(runtime); }
  heddle_module* load(const char* ptx) {
    heddle_module* module = nullptr;
    EXPECT_EQ(heddle_module_load_ptx(runtime, ptx, "test", &module), HEDDLE_OK) << heddle_last_error();
    return module;
  }

  heddle_runtime* runtime = nullptr;
};

constexpr const char* store = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry store(.param .u64 to, .param .u32 value) {
  .reg .b64 %a;
  .reg .b32 %v;
  ld.param.u64 %a, [to];
  ld.param.u32 %v, [value];
  st.global.u32 [%a], %v;
  ret;
}
)";

TEST_F(CApi, NegativeSizesAreLargerThanAnyMemory) {
  for (const size_t bytes : {static_cast<size_t>(-1), SIZE_MAX / 2 + 1}) {
    heddle_array* array = nullptr;
    EXPECT_EQ(heddle_array_create(runtime, bytes, &array), HEDDLE_OUT_OF_MEMORY);
    EXPECT_STREQ(heddle_last_error(),
                 ("an array of " + std::to_string(bytes) + " elements of 1 byte is larger than any memory").c_str());
    EXPECT_EQ(array, nullptr);
  }
}

TEST_F(CApi, NullHandlesAreRefusedByNameOfFunctionAndArgument) {
  size_t count = 0;
  double number = 0;
  int32_t done = 0;
  uint64_t address = 0;
  const char* text = nullptr;
  const void* data = nullptr;
  void* writable = nullptr;
  heddle_module* module = nullptr;
  heddle_kernel* kernel = nullptr;
  heddle_array* array = nullptr;
  heddle_device_info device{sizeof device};
  heddle_kernel_info info{sizeof info};
  heddle_parameter parameter{sizeof parameter};
  heddle_launch_options shape{sizeof shape};
  EXPECT_TRUE(refused(heddle_runtime_create(nullptr, nullptr), "heddle_runtime_create: the place of the runtime is"));
  EXPECT_TRUE(refused(heddle_runtime_synchronize(nullptr), "heddle_runtime_synchronize: the runtime is NULL"));
  EXPECT_TRUE(refused(heddle_runtime_write_trace(nullptr), "the runtime is NULL"));
  EXPECT_TRUE(refused(heddle_device_count(nullptr, &count), "the runtime is NULL"));
  EXPECT_TRUE(refused(heddle_device_count(runtime, nullptr), "the place of the count is NULL"));
  EXPECT_TRUE(refused(heddle_device_get_info(nullptr, 0, &device), "the runtime is NULL"));
  EXPECT_TRUE(refused(heddle_device_get_info(runtime, 0, nullptr), "the place of the information is NULL"));
  EXPECT_TRUE(refused(heddle_measured_bandwidth(nullptr, "", &number), "the runtime is NULL"));
  EXPECT_TRUE(refused(heddle_measured_link(runtime, nullptr, "cpu", &number), "come from is NULL"));
  EXPECT_TRUE(refused(heddle_module_load_ptx(nullptr, store, "", &module), "the runtime is NULL"));
  EXPECT_TRUE(refused(heddle_module_load_ptx(runtime, nullptr, "", &module), "the PTX is NULL"));
  EXPECT_TRUE(refused(heddle_module_load_ptx(runtime, store, "", nullptr), "the place of the module is NULL"));
  EXPECT_TRUE(refused(heddle_module_compile(runtime, nullptr, "", nullptr, &module), "the source is NULL"));
  EXPECT_TRUE(refused(heddle_module_ptx(nullptr, &text), "the module is NULL"));
  EXPECT_TRUE(refused(heddle_module_kernel(nullptr, "store", &kernel), "the module is NULL"));
  EXPECT_TRUE(refused(heddle_kernel_get_info(nullptr, &info), "the kernel is NULL"));
  EXPECT_TRUE(refused(heddle_kernel_get_parameter(nullptr, 0, &parameter), "the kernel is NULL"));
  EXPECT_TRUE(refused(heddle_array_create(nullptr, 4, &array), "the runtime is NULL"));
  EXPECT_TRUE(refused(heddle_array_create(runtime, 4, nullptr), "the place of the array is NULL"));
  EXPECT_TRUE(refused(heddle_array_bytes(nullptr, &count), "the array is NULL"));
  EXPECT_TRUE(refused(heddle_array_read(nullptr, &data), "the array is NULL"));
  EXPECT_TRUE(refused(heddle_array_write(nullptr, &writable), "the array is NULL"));
  EXPECT_TRUE(refused(heddle_array_read_range(nullptr, 0, writable, 0), "the array is NULL"));
  EXPECT_TRUE(refused(heddle_array_address(nullptr, "", &address), "the array is NULL"));
  EXPECT_TRUE(refused(heddle_launch_kernel(runtime, nullptr, &shape, nullptr, 0, nullptr), "the kernel is NULL"));
  EXPECT_TRUE(refused(heddle_launch_done(nullptr, &done), "the launch is NULL"));
  EXPECT_TRUE(refused(heddle_launch_wait(nullptr), "the launch is NULL"));
  EXPECT_TRUE(refused(heddle_launch_seconds(nullptr, &number), "the launch is NULL"));
  EXPECT_TRUE(refused(heddle_launch_device(nullptr, &text), "the launch is NULL"));
  heddle_runtime_free(nullptr);
  heddle_module_free(nullptr);
  heddle_kernel_free(nullptr);
  heddle_array_free(nullptr);
  heddle_launch_free(nullptr);
  heddle_text_free(nullptr);
}

TEST_F(CApi, OptionsOfAnotherVersion) {
  heddle_runtime* made = nullptr;
  heddle_runtime_options options{};
  EXPECT_TRUE(refused(heddle_runtime_create(&options, &made), "`size` of the options is not set"));

  // An older header's structure ends earlier; what lies behind it is not read.
  options.devices = "interp";
  options.execution = 77;
  options.size = offsetof(heddle_runtime_options, execution);
  EXPECT_EQ(heddle_runtime_create(&options, &made), HEDDLE_OK) << heddle_last_error();
  heddle_runtime_free(made);

  // A newer header's structure is longer; what this library does not know must be zero.
  struct {
    heddle_runtime_options options;
    uint64_t newer = 0;
  } next{};
  next.options.size = sizeof next;
  next.options.devices = "interp";
  EXPECT_EQ(heddle_runtime_create(&next.options, &made), HEDDLE_OK) << heddle_last_error();
  heddle_runtime_free(made);
  next.newer = 1;
  EXPECT_TRUE(refused(heddle_runtime_create(&next.options, &made), "does not know"));

  options.size = sizeof options;
  EXPECT_TRUE(refused(heddle_runtime_create(&options, &made), "execution is 77"));
  options.execution = HEDDLE_EXECUTION_ASYNC;
  options.placement = HEDDLE_PLACEMENT_MINMAX_TRANSFER_TIME + 1;
  EXPECT_TRUE(refused(heddle_runtime_create(&options, &made), "placement is 6"));
}

TEST_F(CApi, StatusesHaveTheNamesOfTheCppInterface) {
  EXPECT_STREQ(heddle_status_name(HEDDLE_OK), "ok");
  EXPECT_STREQ(heddle_status_name(HEDDLE_INTERNAL), heddle_status_name(static_cast<heddle_status>(11)));
  EXPECT_STREQ(heddle_status_name(HEDDLE_NOT_FOUND), "not_found");
  EXPECT_STREQ(heddle_status_name(static_cast<heddle_status>(99)), "unknown");
  heddle_runtime_options options{};
  options.size = sizeof options;
  options.devices = "loom:9";
  heddle_runtime* made = nullptr;
  EXPECT_EQ(heddle_runtime_create(&options, &made), HEDDLE_NOT_FOUND);
  EXPECT_NE(std::string(heddle_last_error()).find("loom:9"), std::string::npos);
  EXPECT_EQ(made, nullptr);
}

TEST_F(CApi, AThreadHasItsOwnLastError) {
  size_t count = 0;
  EXPECT_TRUE(refused(heddle_device_count(nullptr, &count), "heddle_device_count"));
  std::thread([] {
    EXPECT_STREQ(heddle_last_error(), "");
    EXPECT_TRUE(refused(heddle_launch_wait(nullptr), "heddle_launch_wait"));
  }).join();
  EXPECT_NE(std::string(heddle_last_error()).find("heddle_device_count"), std::string::npos);
  EXPECT_EQ(heddle_device_count(runtime, &count), HEDDLE_OK);
  EXPECT_NE(std::string(heddle_last_error()).find("heddle_device_count"), std::string::npos);  // successes leave it
}

TEST_F(CApi, ArgumentsThatAreNone) {
  heddle_module* module = load(store);
  heddle_kernel* kernel = nullptr;
  ASSERT_EQ(heddle_module_kernel(module, "store", &kernel), HEDDLE_OK);
  heddle_array* to = nullptr;
  ASSERT_EQ(heddle_array_create(runtime, 4, &to), HEDDLE_OK);
  heddle_launch_options shape{};
  shape.size = sizeof shape;
  shape.grid = shape.block = {1};
  const auto launch = [&](heddle_argument first, heddle_argument second) {
    const heddle_argument list[] = {first, second};
    return heddle_launch_kernel(runtime, kernel, &shape, list, 2, nullptr);
  };
  EXPECT_TRUE(refused(heddle_launch_kernel(runtime, kernel, nullptr, nullptr, 0, nullptr), "the options"));
  EXPECT_TRUE(refused(heddle_launch_kernel(runtime, kernel, &shape, nullptr, 2, nullptr), "the list of arguments"));
  EXPECT_TRUE(refused(launch(heddle_whole(nullptr), heddle_u32(1)), "argument 1 is an array whose handle is NULL"));
  EXPECT_TRUE(refused(launch(heddle_whole(to), heddle_u64(1)), "parameter value"));
  EXPECT_TRUE(refused(launch(heddle_whole(to), heddle_f32(1)), "convert it to an integer"));
  EXPECT_TRUE(refused(launch(heddle_u64(0x1000), heddle_u32(1)), "parameter to"));
  EXPECT_TRUE(refused(launch(heddle_part(to, 8, HEDDLE_REST), heddle_u32(1)), "byte 8"));
  EXPECT_TRUE(
      refused(launch(heddle_whole(to), heddle_structure(nullptr, 4)), "argument 2 is a value whose data is NULL"));
  heddle_argument strange = heddle_u32(1);
  strange.kind = static_cast<heddle_argument_kind>(42);
  EXPECT_TRUE(refused(launch(heddle_whole(to), strange), "argument 2 is of no kind"));
  strange = heddle_u32(1);
  strange.inline_bytes = 17;
  EXPECT_TRUE(refused(launch(heddle_whole(to), strange), "inline bytes"));
  const auto no_element = static_cast<heddle_element>(99);
  EXPECT_TRUE(
      refused(launch(heddle_typed(heddle_whole(to), no_element), heddle_u32(1)), "are of no type that there is"));
  heddle_launch* left = nullptr;
  shape.block = {5000, 1, 1};
  EXPECT_NE(heddle_launch_kernel(runtime, kernel, &shape, nullptr, 0, &left), HEDDLE_OK);
  EXPECT_EQ(left, nullptr);
  shape.block = {};
  EXPECT_TRUE(refused(launch(heddle_whole(to), heddle_u32(1)), "heddle_launch_kernel: block (0, 0, 0): x must be"));
  shape.block = {1, 0, 0};
  shape.grid = {0, 2, 0};
  EXPECT_TRUE(refused(launch(heddle_whole(to), heddle_u32(1)), "heddle_launch_kernel: grid (0, 2, 0): x must be"));
  shape.grid = {1, 0, 0};
  EXPECT_EQ(launch(heddle_whole(to), heddle_u32(77)), HEDDLE_OK) << heddle_last_error();
  uint32_t found = 0;
  EXPECT_EQ(heddle_array_read_range(to, 0, &found, 4), HEDDLE_OK);
  EXPECT_EQ(found, 77u);
  heddle_array_free(to);
  heddle_kernel_free(kernel);
  heddle_module_free(module);
}

// An argument of another runtime would be memory that the device knows nothing of.
TEST_F(CApi, ArraysOfAnotherRuntimeAreRefused) {
  heddle_runtime_options options{};
  options.size = sizeof options;
  options.devices = "interp";
  heddle_runtime* other = nullptr;
  ASSERT_EQ(heddle_runtime_create(&options, &other), HEDDLE_OK);
  heddle_array* foreign = nullptr;
  ASSERT_EQ(heddle_array_create(other, 4, &foreign), HEDDLE_OK);
  heddle_module* module = load(store);
  heddle_kernel* kernel = nullptr;
  ASSERT_EQ(heddle_module_kernel(module, "store", &kernel), HEDDLE_OK);
  heddle_launch_options shape{};
  shape.size = sizeof shape;
  shape.grid = shape.block = {1};
  const heddle_argument list[] = {heddle_whole(foreign), heddle_u32(1)};
  EXPECT_TRUE(refused(heddle_launch_kernel(runtime, kernel, &shape, list, 2, nullptr), "another runtime"));
  heddle_kernel_free(kernel);
  heddle_module_free(module);
  heddle_array_free(foreign);
  heddle_runtime_free(other);
}

}  // namespace
}  // namespace heddle::tests
