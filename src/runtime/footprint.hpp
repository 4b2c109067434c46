// What a launch may touch of its runtime's arrays, where every access is verified: what was given to it, and did there
// what its place in the order was found from.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "device/queue.hpp"
#include "heddle/launch.hpp"

namespace heddle::runtime {

class Buffer;
class KernelState;

// For the queue's next launch. The arguments have been checked, and arrays acquired on the place. `opaque`: one of them
// is a pointer to what is no array, which may lead anywhere. `pinned`: arrays whose address was taken, which any launch
// may use. Needs the core's lock.
void set_footprint(device::Queue& queue, std::size_t place, KernelState& kernel, bool opaque,
                   std::span<const Argument> arguments, std::span<const std::shared_ptr<Buffer>> pinned);

}  // namespace heddle::runtime
