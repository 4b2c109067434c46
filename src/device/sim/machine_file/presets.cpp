#include "device/sim/machine_file/presets.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "base/nearest.hpp"
#include "device/sim/machine_file/reader.hpp"

namespace heddle::device::sim {

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const EmbeddedPreset& preset : embedded_presets()) names.emplace_back(preset.name);
  return names;
}

std::string_view preset_text(std::string_view name) {
  for (const EmbeddedPreset& preset : embedded_presets()) {
    if (preset.name == name) return preset.text;
  }
  return {};
}

MachineDescription preset(std::string_view name) {
  const std::string_view text = preset_text(name);
  if (!text.empty()) return parse_machine(text, std::string(name) + ".toml");
  const auto names = preset_names();
  base::fail(ErrorCode::not_found, "there is no machine '{}'{} {}. A file's name has a '/' or ends with .toml", name,
             base::before_list(name, names), fmt::join(names, ", "));
}

}  // namespace heddle::device::sim
