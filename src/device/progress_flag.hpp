// The progress of a copy to a device, as kernels see it.
#pragma once

#include <cstdint>

namespace heddle::device {

// A 64-bit word in the device's memory that holds an address: all bytes of the copy's destination below it have
// arrived. It grows while the copy runs, and is ~0 when all bytes have arrived. Queue::begin_progress and
// copy_with_progress write it.
class ProgressFlag {
 public:
  virtual ~ProgressFlag() = default;
  virtual std::uint64_t address() const = 0;  // of the word
};

}  // namespace heddle::device
