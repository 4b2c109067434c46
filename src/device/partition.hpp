// A subset of a device's processors.
#pragma once

#include <vector>

namespace heddle::device {

struct ProcessorSet {
  std::vector<unsigned> ids;  // SM or worker numbers, ascending, without repeats
};

class Partition {
 public:
  virtual ~Partition() = default;
  virtual const ProcessorSet& processors() const = 0;
};

}  // namespace heddle::device
