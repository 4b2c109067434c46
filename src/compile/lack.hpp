// Compilers that fail for want of disk space or memory say so among messages about the source, or crash.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "compile/subprocess.hpp"

namespace heddle::compile {

// Throws io_error ("no space left on device: PATH") or out_of_memory (of the stack, too) where that is why the process
// failed. `compiler`: what ran, for the message. `place`: where it writes what it names no file for.
void refuse_lack(std::string_view compiler, const ProcessResult& process, const std::filesystem::path& place);

// "COMMAND ended with status 7.", or by which signal.
std::string how_it_ended(std::string_view command, const ProcessResult& process);

}  // namespace heddle::compile
