// A partition of an emulated device.
#pragma once

#include <utility>

#include "device/partition.hpp"

namespace heddle::device {
class Device;
}

namespace heddle::device::emulated {

class EmulatedPartition final : public Partition {
 public:
  EmulatedPartition(const Device& owner, ProcessorSet set) : owner_(owner), set_(std::move(set)) {}
  const ProcessorSet& processors() const override { return set_; }
  const Device& owner() const { return owner_; }

 private:
  const Device& owner_;
  ProcessorSet set_;
};

}  // namespace heddle::device::emulated
