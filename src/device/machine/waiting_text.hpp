// Sentences for messages about threads that cannot go on.
#pragma once

#include <string>

#include "device/machine/core.hpp"

namespace heddle::device::machine {

// "threads 0 to 31 waiting at barrier 0 at PTX line 12; thread 32 ..."
std::string waiting_threads(const Block& block);

// For a block of which no thread can go on; it has one at least.
std::string blocked_text(const Core& core, const Block& block);

// For blocks that only wait: where `block`, one of them, stands. `why`: how that was found.
std::string spinning_text(const Core& core, const Block& block, const std::string& why);

}  // namespace heddle::device::machine
