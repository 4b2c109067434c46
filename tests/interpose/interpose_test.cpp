// Calls reach NVIDIA's library as they were made.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "compile/headers/heddle/driver_types.h"

namespace {

using Word = unsigned long;
struct FakeCall {
  const char* name;
  Word arguments[11];
  int calls;
};

constexpr const char* all_functions[] = {
#define HEDDLE_SYMBOL(name) #name,
#include "interpose/symbols.inc"
#undef HEDDLE_SYMBOL
};
const std::set<std::string> interposed = {
#define HEDDLE_INTERPOSED(name) #name,
#include "interpose/interposed.def"
#undef HEDDLE_INTERPOSED
};

class Interpose : public testing::Test {
 protected:
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  FakeCall* last = nullptr;
  void SetUp() override {
    ASSERT_NE(library, nullptr) << dlerror();
    ASSERT_NE(dlsym(library, "heddle_own_libcuda"), nullptr) << "not Heddle's library";
    // The stand-in is in the process already; its path alone leads to it.
    const std::string path = std::getenv("LD_LIBRARY_PATH");
    const std::string file = path.substr(path.find(':') + 1) + "/libcuda.so.1";
    void* const fake = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(fake, nullptr) << file;
    last = static_cast<FakeCall*>(dlsym(fake, "fake_last_call"));
    ASSERT_NE(last, nullptr);
  }
  template <class Function>
  Function* function(const std::string& name) {
    void* const found = dlsym(library, name.c_str());
    EXPECT_NE(found, nullptr) << name;
    return reinterpret_cast<Function*>(found);
  }
  void expect_call(const std::string& name, std::initializer_list<Word> arguments) {
    EXPECT_EQ(last->name, name);
    std::size_t i = 0;
    for (const Word argument : arguments) EXPECT_EQ(last->arguments[i++], argument) << name << ", argument " << i;
  }
};

using AnyFunction = int(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);

TEST_F(Interpose, EveryFunctionIsThereAndForwarded) {
  std::size_t tried = 0;
  const std::set<std::string> work = {"cuCtxGetCurrent",    "cuCtxGetDevice", "cuDeviceGetName",
                                      "cuStreamCreate",     "cuStreamGetId",  "cuStreamIsCapturing",
                                      "cuEventSynchronize", "cuEventQuery",   "cuThreadExchangeStreamCaptureMode",
                                      "cuCtxSetCurrent",    "cuEventCreate",  "cuEventRecord",
                                      "cuEventElapsedTime", "cuFuncGetName",  "cuKernelGetName",
                                      "cuEGLApiInit"};
  for (const std::string name : all_functions) {
    auto* const call = function<AnyFunction>(name);
    ASSERT_NE(call, nullptr) << name;
    if (interposed.contains(name) || work.contains(name)) continue;
    const int before = last->calls;
    EXPECT_EQ(call(11, 22, 33, 44, 55, 66, 77, 88, 99, 110, 121), 0) << name;
    EXPECT_EQ(last->calls, before + 1) << name;
    expect_call(name, {11, 22, 33, 44, 55, 66, 77, 88, 99, 110, 121});
    ++tried;
  }
  EXPECT_GT(tried, 550u);
}

TEST_F(Interpose, InterposedFunctionsAreForwardedToo) {
  int word = 0;
  void* const pointer = &word;
  const auto at = reinterpret_cast<Word>(pointer);
  for (const char* name : {"cuLaunchKernel", "cuLaunchKernel_ptsz"}) {
    function<AnyFunction>(name)(1, 2, 3, 4, 5, 6, 7, 8, 9, at, at + 1);
    expect_call(name, {1, 2, 3, 4, 5, 6, 7, 8, 9, at, at + 1});
  }
  for (const char* name : {"cuLaunchCooperativeKernel", "cuLaunchCooperativeKernel_ptsz"}) {
    function<AnyFunction>(name)(1, 2, 3, 4, 5, 6, 7, 8, 9, at, 0);
    expect_call(name, {1, 2, 3, 4, 5, 6, 7, 8, 9, at});
  }
  CUlaunchConfig config{};
  for (const char* name : {"cuLaunchKernelEx", "cuLaunchKernelEx_ptsz"}) {
    function<int(const CUlaunchConfig*, Word, Word, Word)>(name)(&config, 5, at, 6);
    expect_call(name, {reinterpret_cast<Word>(&config), 5, at, 6});
    function<int(const CUlaunchConfig*, Word, Word, Word)>(name)(nullptr, 5, at, 6);
    expect_call(name, {0, 5, at, 6});
  }
  CUDA_MEMCPY2D shape2{};
  CUDA_MEMCPY3D shape3{};
  for (const std::string ending : {"", "_ptsz"}) {
    function<int(const void*, Word)>("cuMemcpy2DAsync_v2" + ending)(&shape2, 9);
    expect_call("cuMemcpy2DAsync_v2" + ending, {reinterpret_cast<Word>(&shape2), 9});
    function<int(const void*, Word)>("cuMemcpy3DAsync_v2" + ending)(&shape3, 9);
    expect_call("cuMemcpy3DAsync_v2" + ending, {reinterpret_cast<Word>(&shape3), 9});
  }
  for (const std::string& name : interposed) {
    if (name.starts_with("cuLaunchKernel") || name.starts_with("cuLaunchCoop") || name.starts_with("cuMemcpy2D") ||
        name.starts_with("cuMemcpy3D") || name.starts_with("cuGetProcAddress"))
      continue;
    const Word value = name.starts_with("cuMemsetD8") || name.starts_with("cuMemsetD2D8") ? 200 : 22;
    function<AnyFunction>(name)(11, value, 33, 44, 55, 66, 0, 0, 0, 0, 0);
    EXPECT_EQ(last->name, name);
    EXPECT_EQ(last->arguments[0] & 0xFFFFFFFF, 11u) << name;  // a device is an int
    if (name.starts_with("cuMemcpy") || name.starts_with("cuMemset")) {
      EXPECT_EQ(last->arguments[1], value) << name;
      EXPECT_EQ(last->arguments[2], 33u) << name;
      if (name.find("Async") != name.npos) {
        EXPECT_EQ(last->arguments[3], 44u) << name;
      }
    }
    if (name.starts_with("cuMemsetD2D") || name.starts_with("cuMemcpyPeer")) {
      EXPECT_EQ(last->arguments[5], 66u) << name;
    }
  }
}

TEST_F(Interpose, FunctionsByNameAreInterposedAsWell) {
  auto* const get = function<int(const char*, void**, int, Word, int*)>("cuGetProcAddress_v2");
  int status = -1;
  void* found = nullptr;
  for (const std::string name : all_functions) {
    if (name.starts_with("cuGetProcAddress") || name == "cuEGLApiInit") continue;
    EXPECT_EQ(get(name.c_str(), &found, 13000, 0, &status), 0);
    EXPECT_EQ(status, 0) << name;
    void* const own = dlsym(library, name.c_str());
    EXPECT_EQ(found == own, interposed.contains(name)) << name;  // the others take no detour
  }
  EXPECT_EQ(get("cuMemcpyHtoD", &found, 12000, 0, &status), 0);
  EXPECT_EQ(found, dlsym(library, "cuMemcpyHtoD_v2"));
  EXPECT_EQ(get("cuOfTheFuture", &found, 13000, 0, &status), 0);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(status, 1);
}

TEST_F(Interpose, AFunctionThatTheDriverLacksIsNotSupported) {
  constexpr int not_supported = 801;
  EXPECT_EQ(function<int()>("cuEGLApiInit")(), not_supported);
}

}  // namespace
