// The arguments of a batch's kernel: their bytes, and whether the kernel takes them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "batch/kernel.hpp"
#include "cli/launch_text.hpp"
#include "heddle/element.hpp"
#include "ptx/ir.hpp"

namespace heddle::cli {

struct JobArgument {
  ArgumentText text;
  batch::ArgumentData data;
  ElementType element = ElementType::unknown;  // of an array
};

// Reads the arrays' files, whose names are relative to `folder`. Throws UsageError for what is no argument, and what
// reading throws.
std::vector<JobArgument> read_arguments(std::span<const std::string> texts, const std::filesystem::path& folder);

// The check of a launch (modules/argument_check.hpp). `text`: the PTX of the module. `any_type`: elements of another
// type than the kernel's are meant.
void check_arguments(const ptx::Module& module, const std::string& text, const std::string& entry,
                     std::span<const JobArgument> arguments, bool any_type);

}  // namespace heddle::cli
