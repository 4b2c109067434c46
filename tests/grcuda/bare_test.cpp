// The programs on the bare driver, where there is none: through Heddle's own libcuda, on the CPU device. Graphs come
// from its libcudart, whose functions differ in a few arguments.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "measure.hpp"
#include "support.hpp"

namespace heddle::bench::grcuda {
namespace {

const std::string libraries = HEDDLE_CUDA_LIBRARIES;

// cudaKernelNodeParams.
struct RuntimeKernelNode {
  Function function;
  unsigned grid[3], block[3], shared_bytes;
  void** arguments;
  void** extra;
};

void* runtime_library() {
  static void* const library = dlopen((libraries + "/libcudart.so.13").c_str(), RTLD_NOW | RTLD_LOCAL);
  return library;
}
template <class F>
void find(F& function, const char* name) {
  function = reinterpret_cast<F>(dlsym(runtime_library(), name));
  ASSERT_NE(function, nullptr) << name;
}

Result add_kernel(Node* node, Graph graph, const Node* behind, std::size_t count, const KernelNode* kernel) {
  Result (*add)(Node*, Graph, const Node*, std::size_t, const RuntimeKernelNode*) = nullptr;
  find(add, "cudaGraphAddKernelNode");
  const RuntimeKernelNode same{kernel->function,
                               {kernel->grid_x, kernel->grid_y, kernel->grid_z},
                               {kernel->block_x, kernel->block_y, kernel->block_z},
                               kernel->shared_bytes,
                               kernel->arguments,
                               kernel->extra};
  return add(node, graph, behind, count, &same);
}

Result add_copy(Node* node, Graph graph, const Node* behind, std::size_t count, const driver::BoxCopy* box,
                driver::Context) {
  Result (*add)(Node*, Graph, const Node*, std::size_t, void*, const void*, std::size_t, int) = nullptr;
  find(add, "cudaGraphAddMemcpyNode1D");
  const auto address = [](const driver::BoxEnd& end) {
    return end.memory_type == driver::memory_of_host ? const_cast<void*>(end.host)
                                                     : reinterpret_cast<void*>(end.device);
  };
  EXPECT_EQ(box->height * box->depth, 1u);
  constexpr int by_address = 4;
  return add(node, graph, behind, count, address(box->destination), address(box->source), box->width, by_address);
}

Result add_fill(Node* node, Graph graph, const Node* behind, std::size_t count, const FillNode* fill, driver::Context) {
  Result (*add)(Node*, Graph, const Node*, std::size_t, const FillNode*) = nullptr;
  find(add, "cudaGraphAddMemsetNode");
  return add(node, graph, behind, count, fill);
}

std::unique_ptr<Cuda> open() {
  std::string why;
  auto cuda = Cuda::open(why, libraries + "/libcuda.so.1");
  if (!cuda) {
    ADD_FAILURE() << why;
    return nullptr;
  }
  find(cuda->capture_begin, "cudaStreamBeginCapture");
  find(cuda->capture_end, "cudaStreamEndCapture");
  find(cuda->graph_create, "cudaGraphCreate");
  find(cuda->graph_destroy, "cudaGraphDestroy");
  find(cuda->graph_instantiate, "cudaGraphInstantiateWithFlags");
  find(cuda->graph_launch, "cudaGraphLaunch");
  find(cuda->executable_destroy, "cudaGraphExecDestroy");
  cuda->graph_add_kernel = add_kernel;
  cuda->graph_add_copy = add_copy;
  cuda->graph_add_fill = add_fill;
  return cuda;
}

class BarePrograms : public testing::TestWithParam<Named> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(libraries + "/libcuda.so.1") || runtime_library() == nullptr)
      GTEST_SKIP() << "this build has no libcuda and libcudart of Heddle's";
  }
};

TEST_P(BarePrograms, OfAllFormsAreAsTheReference) {
  const auto cuda = open();
  ASSERT_TRUE(cuda);
  const auto benchmark = GetParam().make(place, tiny);
  auto forms = make_bare_forms(*benchmark, *cuda);
  ASSERT_EQ(forms.size(), 3u);
  for (const auto& form : forms) {
    form->prepare(small_shape);
    for (const unsigned round : {3u, 2u, 0u}) {
      form->touch(round);
      form->run();
      EXPECT_EQ(benchmark->difference(form->outputs()).empty(), round == 0) << round;
    }
    EXPECT_EQ(benchmark->difference(form->outputs()), "");
    form->prepare(Shape(8, 128));
    form->run();
  }
}

// All five in turns, as the benchmark does it.
TEST_P(BarePrograms, CanBeTimedBesideHeddle) {
  const auto cuda = open();
  ASSERT_TRUE(cuda);
  const auto benchmark = GetParam().make(place, tiny);
  Runtime runtime({.devices = "cpu"}), serial({.devices = "cpu", .scheduling = sync()});
  std::vector<std::unique_ptr<Form>> forms;
  forms.push_back(make_heddle_form(*benchmark, runtime));
  forms.push_back(make_heddle_form(*benchmark, serial));
  for (auto& form : make_bare_forms(*benchmark, *cuda)) forms.push_back(std::move(form));
  const Measured measured = measure(*benchmark, forms, small_shape, {.rounds = 2});
  EXPECT_EQ(measured.wrong, "");
  EXPECT_EQ(measured.rounds, 2u);
  ASSERT_EQ(measured.seconds.size(), 5u);
  EXPECT_EQ(measured.ratios[0], 1);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_GT(measured.seconds[i], 0);
}

INSTANTIATE_TEST_SUITE_P(All, BarePrograms, testing::ValuesIn(all_benchmarks),
                         [](const auto& info) { return plain(info.param.name); });

TEST(BareDriver, ThatIsNotThereIsSaidSo) {
  std::string why;
  EXPECT_EQ(Cuda::open(why, "/nowhere/libcuda.so.1"), nullptr);
  EXPECT_NE(why.find("there is no NVIDIA driver"), why.npos);
}

}  // namespace
}  // namespace heddle::bench::grcuda
