// Protection of a user's files: a result must not replace what it is made from, or another result.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::base {

// Throws invalid_argument if `output` is the same file as one of `inputs`, by whatever name or link, or if it
// exists and is a source or a header by its name or by that of the file that it is a link to. `option` is for the
// message, as "-o". Files that do not exist, devices and pipes are never the same: they lose nothing.
void refuse_overwrite(std::string_view option, const std::filesystem::path& output,
                      std::span<const std::filesystem::path> inputs);

struct Output {
  std::string option;  // for the message, as "-o"
  std::filesystem::path file;
};
// Throws invalid_argument if two outputs are the same file, by whatever name or link, which need not exist yet. Devices
// and pipes may be named as often as one likes.
void refuse_same_outputs(std::span<const Output> outputs);

// The files that simulated GPUs of a list of devices write: report=FILE and trace=FILE of sim:MACHINE.
std::vector<Output> outputs_of_devices(std::string_view devices);

}  // namespace heddle::base
