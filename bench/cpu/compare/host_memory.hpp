// Arrays of the peers: aligned and in huge pages where the machine gives them, as Heddle's own arrays are.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "compare/case.hpp"

namespace heddle::bench {

class HostMemory {
 public:
  explicit HostMemory(const Case& test);
  void reset(const Case& test);  // the changed arrays
  std::byte* array(std::size_t index) const { return arrays_[index].get(); }
  std::vector<std::byte*> all() const;

 private:
  struct Free {
    void operator()(std::byte* bytes) const;
  };
  std::vector<std::unique_ptr<std::byte[], Free>> arrays_;
};

}  // namespace heddle::bench
