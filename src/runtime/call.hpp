// Tasks that are not kernels.
#pragma once

#include <memory>
#include <span>

#include "heddle/call.hpp"
#include "heddle/launch.hpp"

namespace heddle::runtime {

class Core;
class LaunchState;

// See heddle::Runtime::call and call_host.
std::shared_ptr<LaunchState> call(const std::shared_ptr<Core>& core, const CallOptions& options, CallFunction function,
                                  std::span<const Argument> arrays);
void call_host(Core& core, const CallFunction& function, std::span<const Argument> arrays);

}  // namespace heddle::runtime
