// The arguments of a batch's kernel: their bytes, and whether the kernel takes them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "batch/kernel.hpp"
#include "cli/launch_text.hpp"
#include "ptx/ir.hpp"

namespace heddle::cli {

// Throws UsageError for what is no argument. Of arrays in files, whose names are relative to `folder`, it reads type
// and shape, and throws what reading throws. `said_by`: for messages, as parse_argument() has it.
std::vector<ArgumentText> parse_arguments(std::span<const std::string> texts, const std::filesystem::path& folder,
                                          std::string_view said_by);

// The check of a launch (modules/argument_check.hpp). `text`: the PTX of the module. `any_type`: elements of another
// type than the kernel's are meant.
void check_arguments(const ptx::Module& module, const std::string& text, const std::string& entry,
                     std::span<const ArgumentText> arguments, bool any_type);

// The bytes, read from `folder` where the argument has a file. Throws invalid_argument if that has another type or
// shape now, and what reading throws.
batch::ArgumentData read_argument(const ArgumentText& argument, const std::filesystem::path& folder);

}  // namespace heddle::cli
