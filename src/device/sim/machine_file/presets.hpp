// The texts of presets/*.toml, built into the library, so that it works wherever the binary is moved.
#pragma once

#include <span>
#include <string_view>

namespace heddle::device::sim {

struct EmbeddedPreset {
  std::string_view name, text;
};
std::span<const EmbeddedPreset> embedded_presets();

}  // namespace heddle::device::sim
