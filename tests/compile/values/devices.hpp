// Tests that run on every device of this machine that needs no hardware.
#pragma once

#include "compile/compile.hpp"
#include "compile/nvrtc/find.hpp"
#include "device/cpu/cpu.hpp"
#include "device/interp/interp.hpp"
#include "values/program.hpp"

namespace heddle::compile::testing {

inline std::vector<DeviceChoice> device_choices() {
  return {{"interp", [] { return device::interp::make_interp_device(); }},
          {"cpu", []() -> std::unique_ptr<device::Device> { return device::cpu::make_cpu_device(); }}};
}
inline std::string device_name(const ::testing::TestParamInfo<DeviceChoice>& info) { return info.param.name; }

class OnDevice : public ::testing::TestWithParam<DeviceChoice> {
 protected:
  void SetUp() override {
    std::vector<nvrtc::Place> looked_at;
    if (chosen_compiler({}) == Compiler::nvrtc && !nvrtc::look_for_library(looked_at))
      GTEST_SKIP() << "NOT RUN: " << nvrtc::not_found_text(looked_at);
    device_ = GetParam().make();
  }
  std::unique_ptr<device::Device> device_;
};

}  // namespace heddle::compile::testing
