#include "runtime/devices.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/fail.hpp"
#include "device/cpu/cpu.hpp"
#include "device/interp/interp.hpp"

namespace heddle::runtime {
namespace {

// One row a kind of device. `by_default`: opened when no list is given.
struct Kind {
  std::string_view id;
  bool by_default;
  std::unique_ptr<device::Device> (*open)(const DeviceOptions& options);
};
constexpr std::array kinds = {
    Kind{"cpu", true,
         [](const DeviceOptions& options) { return device::cpu::make_cpu_device({.workers = options.workers}); }},
    Kind{"interp", false, [](const DeviceOptions&) { return device::interp::make_interp_device(); }},
};

const Kind& kind_of(std::string_view id) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind.id == id; });
  if (found != kinds.end()) return *found;
  std::string there;
  for (const Kind& kind : kinds) there += (there.empty() ? "" : ", ") + std::string(kind.id);
  base::fail(ErrorCode::not_found, "there is no device '{}'; there are {}", id, there);
}

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> ids;
  while (true) {
    const std::size_t comma = list.find(',');
    ids.push_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return ids;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

std::vector<std::unique_ptr<device::Device>> open_devices(std::string_view list, const DeviceOptions& options) {
  std::vector<const Kind*> wanted;
  if (list.empty()) {
    for (const Kind& kind : kinds) {
      if (kind.by_default) wanted.push_back(&kind);
    }
  } else {
    for (const std::string_view id : split(list)) {
      const Kind& kind = kind_of(id);
      if (std::find(wanted.begin(), wanted.end(), &kind) != wanted.end()) {
        base::fail(ErrorCode::invalid_argument, "device '{}' is named twice in '{}'", id, list);
      }
      wanted.push_back(&kind);
    }
  }
  std::vector<std::unique_ptr<device::Device>> opened;
  for (const Kind* kind : wanted) opened.push_back(kind->open(options));
  return opened;
}

std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (const Kind& kind : kinds) ids.emplace_back(kind.id);
  return ids;
}

}  // namespace heddle::runtime
