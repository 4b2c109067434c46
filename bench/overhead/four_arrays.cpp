#include "four_arrays.hpp"

#include <string>

#include "noop_device.hpp"
#include "ptx/parser.hpp"
#include "runtime/buffer.hpp"
#include "runtime/launch.hpp"

namespace heddle::bench {
namespace {

constexpr const char* text = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry four(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u32 n) {
  .reg .b64 %p<5>;
  .reg .b32 %r<5>;
  ld.param.u64 %p1, [a];
  ld.param.u64 %p2, [b];
  ld.param.u64 %p3, [c];
  ld.param.u64 %p4, [d];
  ld.global.u32 %r1, [%p1];
  ld.global.u32 %r2, [%p2];
  ld.global.u32 %r3, [%p3];
  add.u32 %r1, %r1, %r2;
  add.u32 %r1, %r1, %r3;
  st.global.u32 [%p4], %r1;
  ret;
}
.visible .entry four_by_thread(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u32 n) {
  .reg .b64 %p<6>;
  .reg .b32 %r<8>;
  ld.param.u64 %p1, [a];
  ld.param.u64 %p2, [b];
  ld.param.u64 %p3, [c];
  ld.param.u64 %p4, [d];
  mov.u32 %r5, %ctaid.x;
  mov.u32 %r6, %ntid.x;
  mov.u32 %r7, %tid.x;
  mad.lo.u32 %r5, %r5, %r6, %r7;
  mul.wide.u32 %p5, %r5, 4;
  add.u64 %p1, %p1, %p5;
  add.u64 %p2, %p2, %p5;
  add.u64 %p3, %p3, %p5;
  add.u64 %p4, %p4, %p5;
  ld.global.u32 %r1, [%p1];
  ld.global.u32 %r2, [%p2];
  ld.global.u32 %r3, [%p3];
  add.u32 %r1, %r1, %r2;
  add.u32 %r1, %r1, %r3;
  st.global.u32 [%p4], %r1;
  ret;
}
)";

std::shared_ptr<core::Core> make_core(const Scheduling& policy, unsigned count, const std::string& managed) {
  constexpr double bytes_per_second = 5e10;
  std::vector<std::unique_ptr<device::Device>> devices;
  for (unsigned i = 0; i < count; ++i) devices.push_back(make_noop_device("noop" + std::to_string(i)));
  auto core =
      std::make_shared<core::Core>(std::move(devices), core::CoreOptions{.scheduling = policy, .policy = managed});
  core->links().set(links::MeasuredLinks(count + 1, std::vector<double>(count + 1, bytes_per_second)));
  return core;
}

}  // namespace

FourArrays::FourArrays(const Scheduling& policy, unsigned devices, const std::string& managed)
    : core_(make_core(policy, devices, managed)),
      module_(std::make_shared<runtime::ModuleState>(core_, std::make_shared<ptx::Module>(ptx::parse(text, "four")),
                                                     text, "four")),
      kernel_(module_->kernel(managed.empty() ? "four" : "four_by_thread")) {
  for (std::uint64_t i = 0; i < four_arrays_count; ++i)
    arrays_.emplace_back(std::make_shared<runtime::Buffer>(core_, four_arrays_bytes));
}

void FourArrays::launch(std::uint64_t i) {
  const auto [a, b, c, d] = four_arrays_of(i);
  const std::array<Argument, 5> arguments{Argument(arrays_[a]), Argument(arrays_[b]), Argument(arrays_[c]),
                                          Argument(arrays_[d]), Argument(1024u)};
  runtime::launch(*core_, kernel_.state(), {.grid = {4}, .block = {256}}, arguments);
}

}  // namespace heddle::bench
