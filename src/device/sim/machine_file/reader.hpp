// Machine files: TOML to MachineDescription and back. docs/machines.md lists the keys.
//
// Every mistake is an Error of code parse_error (not_found for a file or preset that does not exist) with file, line,
// key, and what is allowed there: invalid TOML, an unknown key, a value of another type or out of range, values
// that contradict each other. No function here changes anything; all may be called by several threads.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "device/sim/machine_file/description.hpp"

namespace heddle::device::sim {

// `origin` names the text in messages. `based-on = "PRESET"` in it makes all values that it does not give those of the
// preset.
MachineDescription parse_machine(std::string_view text, std::string_view origin);
MachineDescription read_machine_file(const std::filesystem::path& file);

// The machines that come with Heddle, built into the library from machine_file/presets/.
std::vector<std::string> preset_names();
// Throws not_found with the names that there are.
MachineDescription preset(std::string_view name);
// The preset's file with its comments, which state where each value comes from; empty if there is no such preset.
std::string_view preset_text(std::string_view name);

// A preset's name, or the path of a machine file: what has a '/' or ends with ".toml".
MachineDescription find_machine(const std::string& name_or_path);

// A file with every key, which reads as the same description.
std::string to_toml(const MachineDescription& machine);

}  // namespace heddle::device::sim
