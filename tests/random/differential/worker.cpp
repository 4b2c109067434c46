#include "random/differential/worker.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "device/cuda/cuda.hpp"
#include "ptx/parser.hpp"
#include "ptx/verifier.hpp"
#include "random/comparison.hpp"
#include "random/differential/supervisor.hpp"
#include "random/program.hpp"

namespace heddle::test::random_kernel {
namespace {

void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

// Recursive functions need more stack than the kilobyte that threads of a GPU get.
void allow_recursion(int ordinal) {
  using Retain = int(void** context, int device);
  using Push = int(void* context);
  using Pop = int(void** context);
  using SetLimit = int(int what, std::size_t value);
  constexpr int stack_size = 0;
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return;
  auto* retain = reinterpret_cast<Retain*>(::dlsym(driver, "cuDevicePrimaryCtxRetain"));
  auto* push = reinterpret_cast<Push*>(::dlsym(driver, "cuCtxPushCurrent_v2"));
  auto* pop = reinterpret_cast<Pop*>(::dlsym(driver, "cuCtxPopCurrent_v2"));
  auto* set_limit = reinterpret_cast<SetLimit*>(::dlsym(driver, "cuCtxSetLimit"));
  void* context = nullptr;
  if (!retain || !push || !pop || !set_limit || retain(&context, ordinal) != 0 || push(context) != 0) return;
  set_limit(stack_size, 16384);
  pop(&context);
}

// A GPU that is opened once for all kernels, as its driver takes a second for that, and says when its driver compiles.
class KeptGpu final : public device::Device {
 public:
  explicit KeptGpu(device::Device& gpu) : gpu_(gpu) {}
  const device::DeviceInfo& info() const override { return gpu_.info(); }
  const base::Clock& clock() const override { return gpu_.clock(); }
  std::unique_ptr<device::Memory> allocate(std::size_t bytes) override { return gpu_.allocate(bytes); }
  std::unique_ptr<device::Memory> allocate_host(std::size_t bytes) override { return gpu_.allocate_host(bytes); }
  std::unique_ptr<device::Memory> register_host(void* data, std::size_t bytes) override {
    return gpu_.register_host(data, bytes);
  }
  std::uint64_t free_memory() override { return gpu_.free_memory(); }
  std::unique_ptr<device::Queue> queue(const device::QueueOptions& options) override { return gpu_.queue(options); }
  std::unique_ptr<device::Event> event() override { return gpu_.event(); }
  std::unique_ptr<device::Partition> partition(const device::ProcessorSet& set) override { return gpu_.partition(set); }
  double measured_bandwidth() override { return gpu_.measured_bandwidth(); }
  std::shared_ptr<device::Module> load(std::shared_ptr<const ptx::Module> module,
                                       const device::LoadOptions& options) override {
    say("stage the driver compiles it");
    std::shared_ptr<device::Module> loaded = gpu_.load(std::move(module), options);
    say("stage it runs");
    return loaded;
  }

 private:
  device::Device& gpu_;
};

struct Tested {
  std::string id;
  std::unique_ptr<device::Device> gpu;  // none for the CPU device
};

CaseResult run_on(const Tested& tested, PtxCase c) {
  if (!tested.gpu) return run_on_cpu(c);
  c.check = false;  // no GPU verifies accesses
  return run_case(c, [&](const TestDeviceOptions&) { return std::make_unique<KeptGpu>(*tested.gpu); });
}

// False when the device is of no more use.
bool compare_on(const Tested& tested, std::uint64_t seed, const PtxCase& c, const CaseResult& want) {
  say("begin " + std::to_string(seed) + " " + tested.id);
  const CaseResult got = run_on(tested, c);
  const Comparison comparison = compare_results(c, want, got);
  say("end " + std::to_string(seed) + " " + tested.id + " " + std::to_string(static_cast<int>(comparison.verdict)) +
      " " + escaped(comparison.text));
  return !tested.gpu || comparison.verdict != Verdict::failed;
}

bool do_seed(const Work& work, const std::vector<Tested>& all, std::uint64_t seed) {
  const std::string text =
      (work.instructions ? generate_instructions(seed, work.for_gpu) : generate(seed, work.for_gpu)).text();
  CaseResult want;
  const PtxCase c = parse_cases(text, "random.ptx").at(0);
  say("begin " + std::to_string(seed) + " interp");
  try {
    ptx::verify(ptx::parse(text, "random.ptx"));
    want = run_on_interp(c);
  } catch (const Error& error) {
    want.error = error.code();
    want.error_text = error.what();
  }
  const Verdict verdict = want.error ? Verdict::invalid : Verdict::equal;
  say("end " + std::to_string(seed) + " interp " + std::to_string(static_cast<int>(verdict)) + " " +
      escaped(want.error_text));
  if (want.error) return true;
  for (const Tested& tested : all)
    if (!compare_on(tested, seed, c, want)) return false;
  return true;
}

}  // namespace

int do_work(const Work& work) {
  try {
    std::vector<Tested> all;
    for (const std::string& id : work.devices) {
      all.push_back({id, nullptr});
      if (!id.starts_with("cuda:")) continue;
      const int ordinal = std::atoi(id.c_str() + 5);
      all.back().gpu = device::cuda::make_cuda_device({.ordinal = ordinal});
      allow_recursion(ordinal);
    }
    for (std::uint64_t seed = work.begin; seed < work.end; ++seed)
      if (!do_seed(work, all, seed)) return 0;  // the supervisor begins another process
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace heddle::test::random_kernel
