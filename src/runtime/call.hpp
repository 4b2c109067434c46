// Tasks that are not kernels.
#pragma once

#include <memory>
#include <span>

#include "heddle/call.hpp"
#include "heddle/launch.hpp"

namespace heddle::core {
class Core;
}

namespace heddle::runtime {

class LaunchState;

// See heddle::Runtime::call and call_host.
std::shared_ptr<LaunchState> call(const std::shared_ptr<core::Core>& core, const CallOptions& options,
                                  CallFunction function, std::span<const Argument> arrays);
void call_host(core::Core& core, const CallFunction& function, std::span<const Argument> arrays);

}  // namespace heddle::runtime
