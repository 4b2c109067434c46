#include "core/open_found.hpp"

#include <exception>

#include "base/log.hpp"
#include "heddle/error.hpp"

namespace heddle::core {

std::vector<std::unique_ptr<device::Device>> open_found(const std::vector<Candidate>& all, bool without_cpu) {
  std::vector<std::unique_ptr<device::Device>> opened;
  std::exception_ptr last;
  for (const Candidate& device : all) {
    if (!device.by_default || (without_cpu && device.id == "cpu" && !opened.empty())) continue;
    try {
      opened.push_back(device.open());
    } catch (const Error& error) {
      if (device.id == "cpu" && (opened.empty() || error.code() == ErrorCode::invalid_argument)) throw;
      last = std::current_exception();
      base::log_warn("{} is left out: {}", device.id, error.what());
    }
  }
  if (opened.empty() && last) std::rethrow_exception(last);
  return opened;
}

}  // namespace heddle::core
