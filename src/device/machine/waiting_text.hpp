// Sentences for messages about threads that cannot go on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "device/machine/core.hpp"

namespace heddle::device::machine {

// "threads 0 to 31 waiting at barrier 0 at PTX line 12 (k.cu:3); thread 32 ..."
std::string waiting_threads(const Core& core, const Block& block);

// For a block of which no thread can go on; it has one at least.
std::string blocked_text(const Core& core, const Block& block);

// For blocks that only wait: where `block`, one of them, stands. `why`: how that was found.
std::string spinning_text(const Core& core, const Block& block, const std::string& why);

// A block under way, with the core that executes it.
struct StandingBlock {
  const Core* core;
  const Block* block;
};
// How many blocks time_limit_text() shows.
constexpr std::size_t most_standing_blocks = 8;
// For a launch that is ended after `seconds`, its time limit: where the first of its `under_way` blocks stand, if any.
// `kernel`: its name in PTX.
std::string time_limit_text(const std::string& kernel, double seconds, std::span<const StandingBlock> blocks,
                            std::uint64_t under_way);

}  // namespace heddle::device::machine
