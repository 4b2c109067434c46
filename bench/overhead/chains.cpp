// Chains and fans of small kernels: what Heddle gets out of a GPU, with replay and without, against a bare driver with
// hand-written streams and events.
#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "gpu.hpp"
#include "heddle/heddle.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
namespace driver = device::cuda::driver;

// `own` is modified and `other` read, as far as PTX tells; neither is, since `nanoseconds` is never 2^32 - 1.
constexpr const char* source = R"ptx(
.version 7.0
.target sm_70
.address_size 64
.visible .entry small(.param .u64 own, .param .u64 other, .param .u32 nanoseconds) {
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [own];
  ld.param.u64 %rd2, [other];
  ld.param.u32 %r1, [nanoseconds];
  setp.ne.u32 %p1, %r1, 0xffffffff;
  @%p1 bra spin;
  ld.global.u32 %r2, [%rd2];
  st.global.u32 [%rd1], %r2;
spin:
  setp.eq.u32 %p2, %r1, 0;
  @%p2 bra done;
  mov.u64 %rd3, %globaltimer;
  cvt.u64.u32 %rd4, %r1;
turn:
  mov.u64 %rd5, %globaltimer;
  sub.u64 %rd6, %rd5, %rd3;
  setp.lt.u64 %p1, %rd6, %rd4;
  @%p1 bra turn;
done:
  ret;
}
)ptx";

constexpr int rounds = 9;

// A round of a shape: a kernel on array 0, then `width` kernels that read it and modify arrays of their own; the next
// round's first kernel comes behind them. Width 0: a chain.
struct Shape {
  std::string name;
  unsigned width;
  int repeats;
  int launches() const { return repeats * static_cast<int>(1 + width); }
};

class Ours {
 public:
  Ours(const std::string& device, bool replay)
      : runtime_({.devices = device, .scheduling = {.replay = replay}}),
        kernel_(runtime_.load_ptx(source).kernel("small")) {
    for (int i = 0; i < 17; ++i) arrays_.push_back(runtime_.array<std::uint32_t>(32));
  }
  void run(const Shape& shape, unsigned nanoseconds) {
    const LaunchOptions one{.grid = {1}, .block = {32}};
    for (int i = 0; i < shape.repeats; ++i) {
      runtime_.launch(kernel_, one, arrays_[0], arrays_[0], nanoseconds);
      for (unsigned k = 1; k <= shape.width; ++k) runtime_.launch(kernel_, one, arrays_[k], arrays_[0], nanoseconds);
    }
    runtime_.synchronize();
  }

 private:
  Runtime runtime_;
  Kernel kernel_;
  std::vector<Array<std::uint32_t>> arrays_;
};

class Bare {
 public:
  explicit Bare(Gpu& gpu) : gpu_(gpu), cuda_(*gpu.driver) {
    driver::ModuleHandle module = nullptr;
    check(gpu, cuda_.module_load(&module, source, 0, nullptr, nullptr), "loading the module");
    check(gpu, cuda_.module_function(&kernel_, module, "small"), "finding the kernel");
    for (auto& stream : streams_) check(gpu, cuda_.stream_create(&stream, driver::stream_non_blocking, 0), "a stream");
    for (auto& event : events_) check(gpu, cuda_.event_create(&event, driver::event_no_timing), "an event");
    memory_ = gpu.device->allocate(4096);
  }
  void run(const Shape& shape, unsigned nanoseconds) {
    for (int i = 0; i < shape.repeats; ++i) {
      launch(0, nanoseconds);
      if (shape.width == 0) continue;
      check(gpu_, cuda_.event_record(events_[0], streams_[0]), "recording");
      for (unsigned k = 1; k <= shape.width; ++k) {
        check(gpu_, cuda_.stream_wait_event(streams_[k], events_[0], 0), "waiting");
        launch(k, nanoseconds);
        check(gpu_, cuda_.event_record(events_[k], streams_[k]), "recording");
        check(gpu_, cuda_.stream_wait_event(streams_[0], events_[k], 0), "waiting");
      }
    }
    check(gpu_, cuda_.stream_synchronize(streams_[0]), "waiting");
  }

 private:
  void launch(unsigned stream, unsigned nanoseconds) {
    driver::Address own = memory_->span().address + 128 * stream, other = memory_->span().address;
    void* arguments[] = {&own, &other, &nanoseconds};
    check(gpu_, cuda_.launch(kernel_, 1, 1, 1, 32, 1, 1, 0, streams_[stream], arguments, nullptr), "launching");
  }

  Gpu& gpu_;
  const device::cuda::Driver& cuda_;
  driver::FunctionHandle kernel_ = nullptr;
  driver::Stream streams_[17] = {};
  driver::EventHandle events_[17] = {};
  std::unique_ptr<device::Memory> memory_;
};

}  // namespace

int main() {
  auto gpu = open_gpu();
  if (!gpu) return 0;
  Results results("overhead");
  results.also_on(gpu->text());
  Bare bare(*gpu);
  const std::string device = fmt::format("cuda:{}", gpu->ordinal);
  Ours plain(device, false), replayed(device, true);
  for (const Shape& shape : {Shape{"chain", 0, 8000}, Shape{"fan of 4", 4, 1600}, Shape{"fan of 16", 16, 500}}) {
    for (const unsigned nanoseconds : {0u, 1000u}) {
      const std::string name = shape.name + (nanoseconds == 0 ? ", empty kernels" : ", kernels of 1 us");
      const auto each = [&](auto& form) {
        form.run(shape, nanoseconds);
        std::vector<double> took;
        for (int i = 0; i < rounds; ++i) took.push_back(time_once([&] { form.run(shape, nanoseconds); }));
        return median(took) / shape.launches() * 1e9;
      };
      const double theirs = each(bare), without = each(plain), with = each(replayed);
      results.add({name + ", bare streams and events", theirs, "ns", {}, ""});
      results.add({name + ", without replay", without, "ns", {}, ""});
      results.add({name + ", with replay", with, "ns", {}, ""});
      results.add({name + ", throughput of replay over bare", theirs / with, "x", at_least(nanoseconds == 0 ? 5 : 2.5),
                   "bare streams and events"});
    }
  }
  return results.finish();
}
