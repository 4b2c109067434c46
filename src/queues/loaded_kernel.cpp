#include "queues/loaded_kernel.hpp"

#include <utility>

#include "base/dedicated_thread.hpp"
#include "base/log.hpp"
#include "core/core.hpp"
#include "runtime/kernel_state.hpp"

namespace heddle::queues {

LoadedKernelState::LoadedKernelState(Kernel kernel, std::size_t place, device::Function& function)
    : kernel_(std::move(kernel)), place_(place), function_(function), slice_(kernel_.state()->core().slice()) {
  for (const device::ParameterLayout& parameter : function.parameters())
    parameters_.push_back({parameter.offset, parameter.size});
}

bool LoadedKernelState::can_be_cut() const {
  Cut cut = cut_.load(std::memory_order_acquire);
  if (cut == Cut::not_known) {
    base::run_on_dedicated_thread(
        [&] { cut = kernel_.state()->blocks_independent() ? Cut::possible : Cut::impossible; });
    cut_.store(cut, std::memory_order_release);
  }
  return cut == Cut::possible;
}

void LoadedKernelState::keep_whole(const Error& reason) const {
  cut_.store(Cut::impossible, std::memory_order_release);
  base::log_info("launches stay whole: {}", reason.what());
}

}  // namespace heddle::queues
