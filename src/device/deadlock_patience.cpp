#include "device/deadlock_patience.hpp"

#include "base/variables.hpp"

namespace heddle::device {

std::chrono::milliseconds deadlock_patience(std::chrono::milliseconds wanted) {
  const auto ms = base::number_variable("HEDDLE_DEADLOCK_MS");
  return ms ? std::chrono::milliseconds(*ms) : wanted;
}

}  // namespace heddle::device
