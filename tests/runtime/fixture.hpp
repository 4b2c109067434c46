// A core over fake devices, and a small module, for tests of the runtime.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/core.hpp"
#include "heddle/array.hpp"
#include "heddle/launch.hpp"
#include "heddle/module.hpp"
#include "ptx/parser.hpp"
#include "runtime/buffer.hpp"
#include "runtime/fake_device.hpp"
#include "runtime/launch.hpp"
#include "runtime/module_state.hpp"

namespace heddle::tests {

// copy_first(n, from, to): to[i] = from[i]; add_to(n, value, data): data[i] += value; fill(n, value, data): data[i] =
// value; saxpy(n, a, x, y): y[i] += a * x[i], an element for each thread; hides(where, data): where[0] = data[0], but
// its PTX stores the pointer away; structure(24 bytes).
inline constexpr const char* test_ptx = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .global .align 4 .b8 coefficients[16];
.visible .const .f32 _ZN3img5scaleE;
.visible .global .f32 _ZN3img5gammaE;
.visible .global .f32 _ZN3raw5gammaE;
.visible .entry copy_first(.param .u32 n, .param .u64 from, .param .u64 to) {
  .reg .b64 %rd<5>; .reg .f32 %f<2>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  ld.global.f32 %f1, [%rd3];
  st.global.f32 [%rd4], %f1;
  ret;
}
.visible .entry add_to(.param .u32 n, .param .f32 value, .param .u64 data) {
  .reg .b64 %rd<3>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [data];
  ld.param.f32 %f1, [value];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.f32 %f2, [%rd2];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd2], %f3;
  ret;
}
.visible .entry _Z9structure5Plane(.param .align 8 .b8 plane[24]) { ret; }
.visible .entry _Z4blurIfEvPT_(.param .u64 p) { ret; }
.visible .entry _Z4blurIdEvPT_(.param .u64 p) { ret; }
.visible .entry fails() { trap; }
.visible .entry fails_with(.param .u64 p) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  st.global.u32 [%rd1], 0;
  trap;
}
.visible .entry fill(.param .u32 n, .param .f32 value, .param .u64 data) {
  .reg .b64 %rd<2>; .reg .f32 %f<2>;
  ld.param.u64 %rd1, [data];
  ld.param.f32 %f1, [value];
  st.global.f32 [%rd1], %f1;
  ret;
}
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<6>; .reg .f32 %f<5>;
  ld.param.u32 %r1, [n];
  ld.param.f32 %f1, [a];
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra done;
  mul.wide.s32 %rd3, %r5, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.f32 %f2, [%rd4];
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f3, [%rd5];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd5], %f4;
done:
  ret;
}
.visible .entry hides(.param .u64 where, .param .u64 data) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [where];
  ld.param.u64 %rd2, [data];
  st.global.u64 [%rd1], %rd2;
  ret;
}
.visible .entry indexed(.param .u64 p, .param .u64 i) {
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  ld.param.u64 %rd2, [i];
  add.u64 %rd3, %rd1, %rd2;
  st.global.u64 [%rd3], 0;
  ret;
}
)";

class RuntimeTest : public testing::Test {
 protected:
  // How long launches may be held: a machine that is busy with something else must not end repetitions.
  static constexpr std::chrono::hours forever{1000};
  // Makes the core with one fake device for each id; "far" devices keep their memory from the host,
  // those with "streams" are like GPUs also in that they have these, those with "gpu" have a compute capability, and
  // the memory of those with "cpu" is the host's.
  void start(const std::vector<std::string>& ids, const Scheduling& scheduling = {}) {
    module_.reset();
    core_.reset();
    devices_.clear();
    std::vector<std::unique_ptr<device::Device>> devices;
    for (const std::string& id : ids) {
      auto made = std::make_unique<FakeDevice>(FakeOptions{.id = id,
                                                           .host_reaches_memory = id.find("far") == std::string::npos,
                                                           .has_streams = id.find("streams") != std::string::npos,
                                                           .host_memory = id.find("cpu") != std::string::npos,
                                                           .capability = id.find("gpu") != std::string::npos ? 90U : 0U,
                                                           .kernels = kernels(),
                                                           .log = &log_,
                                                           .late_records = &late_records_,
                                                           .while_copying = &while_copying_});
      devices_.push_back(made.get());
      devices.push_back(std::move(made));
    }
    core_ = std::make_shared<core::Core>(std::move(devices), core::CoreOptions{.scheduling = scheduling});
    {
      const base::Lock lock(core_->mutex());
      core_->replayer().set_patience(forever);
    }
    module_.emplace(std::make_shared<runtime::ModuleState>(
        core_, std::make_shared<const ptx::Module>(ptx::parse(test_ptx, "test.ptx")), test_ptx, "test.ptx"));
  }

  // Device code reaches memory as the device does.
  static float* at(std::uint64_t address) { return reinterpret_cast<float*>(address & ~(1ull << 62)); }

  std::map<std::string, FakeKernel> kernels() {
    return {
        {"copy_first",
         [](const FakeLaunch& launch) {
           EXPECT_EQ(launch.parameter<std::uint32_t>(4), 0u) << "a gap in the packed arguments";
           const float* from = at(launch.parameter<std::uint64_t>(8));
           std::copy_n(from, launch.parameter<int>(0), at(launch.parameter<std::uint64_t>(16)));
         }},
        {"add_to",
         [this](const FakeLaunch& launch) {
           float* data = at(launch.parameter<std::uint64_t>(8));
           for (int i = 0; i < launch.parameter<int>(0); ++i) data[i] += launch.parameter<float>(4);
           if (while_adding_) std::exchange(while_adding_, nullptr)();
         }},
        {"fill",
         [](const FakeLaunch& launch) {
           std::fill_n(at(launch.parameter<std::uint64_t>(8)), launch.parameter<int>(0), launch.parameter<float>(4));
         }},
        {"saxpy",
         [](const FakeLaunch& launch) {
           const auto threads = static_cast<std::size_t>(launch.config.block.x);
           const std::size_t last = std::min<std::size_t>(launch.range.end * threads, launch.parameter<unsigned>(0));
           const float* const x = at(launch.parameter<std::uint64_t>(8));
           const auto a = launch.parameter<float>(4);
           float* const y = at(launch.parameter<std::uint64_t>(16));
           for (std::size_t i = launch.range.begin * threads; i < last; ++i) y[i] += a * x[i];
         }},
        {"hides",
         [](const FakeLaunch& launch) {
           *at(launch.parameter<std::uint64_t>(0)) = *at(launch.parameter<std::uint64_t>(8));
         }},
        {"_Z9structure5Plane", [](const FakeLaunch&) {}},
        {"_Z4blurIfEvPT_", [this](const FakeLaunch& launch) { blurred_ = launch.parameter<std::uint64_t>(0); }},
        {"_Z4blurIdEvPT_", [](const FakeLaunch&) {}},
        {"indexed", [](const FakeLaunch&) {}},
        {"fails_with", [](const FakeLaunch&) { throw Error(ErrorCode::kernel_fault, "kernel fails_with trapped"); }},
        {"fails", [](const FakeLaunch&) { throw Error(ErrorCode::kernel_fault, "kernel fails trapped"); }},
    };
  }

  template <typename T>
  Array<T> array(std::size_t count) {
    return Array<T>(std::make_shared<runtime::Buffer>(core_, count * sizeof(T)));
  }
  Array<float> floats(std::initializer_list<float> values) {
    Array<float> made = array<float>(values.size());
    std::copy(values.begin(), values.end(), made.write().begin());
    return made;
  }
  template <typename... Arguments>
  Launch launch(const char* kernel, const LaunchOptions& options, const Arguments&... arguments) {
    const std::vector<Argument> list = {Argument(arguments)...};
    return Launch(runtime::launch(*core_, module_->kernel(kernel).state(), options, list));
  }
  // The same with a signature.
  template <typename... Arguments>
  Launch launch_as(const char* kernel, const char* signature, const Arguments&... arguments) {
    const std::vector<Argument> list = {Argument(arguments)...};
    return Launch(runtime::launch(*core_, module_->kernel(kernel, signature).state(), {}, list));
  }
  template <typename F>
  static std::string message_of(F&& f) {
    try {
      f();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  int logged(const std::string& what) const { return static_cast<int>(std::count(log_.begin(), log_.end(), what)); }

  std::vector<std::string> log_;
  unsigned late_records_ = 0;
  std::uint64_t blurred_ = 0;  // the address that blur<float> was given
  // What happens once meanwhile: at the end of the next kernel add_to; as the next copy is asked for.
  std::function<void()> while_adding_, while_copying_;
  std::vector<FakeDevice*> devices_;
  std::shared_ptr<core::Core> core_;
  std::optional<Module> module_;
};

}  // namespace heddle::tests
