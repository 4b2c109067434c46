// The launches that overhead_launches and overhead_starpu measure: of a kernel with four arrays, on a device that does
// nothing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/core.hpp"
#include "heddle/heddle.hpp"
#include "runtime/module_state.hpp"

namespace heddle::bench {

constexpr std::uint64_t four_arrays_count = 20;
constexpr std::uint64_t four_arrays_bytes = 4096;  // of each array

// The arrays of launch `i`: three that are read and, last, one that is modified; others each time. The modified one is
// never among those that are read.
constexpr std::array<std::uint64_t, 4> four_arrays_of(std::uint64_t i) {
  constexpr std::uint64_t n = four_arrays_count;
  return {i % n, (i * 7 + 3) % n, (i * 3 + 11) % n, (i * 11 + 5) % n};
}

// One thread at a time.
class FourArrays {
 public:
  // On so many devices. `managed`: see RuntimeOptions::policy; launches of four blocks that are independent then.
  explicit FourArrays(const Scheduling& policy, unsigned devices = 1, const std::string& managed = {});
  void launch(std::uint64_t i);
  void synchronize() { core_->synchronize(); }
  const std::vector<Array<std::uint32_t>>& arrays() const { return arrays_; }

 private:
  std::shared_ptr<core::Core> core_;
  std::shared_ptr<runtime::ModuleState> module_;
  Kernel kernel_;
  std::vector<Array<std::uint32_t>> arrays_;
};

}  // namespace heddle::bench
