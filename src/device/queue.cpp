#include "device/queue.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "device/launch_check.hpp"

namespace heddle::device {

void Queue::launch_parts(Function& function, const LaunchConfig& config, BlockRange range, std::uint64_t part,
                         std::span<const std::byte> arguments) {
  check_parts(function, config, part);
  for (std::uint64_t at = range.begin; at < range.end; at += part)
    launch(function, config, {at, std::min(range.end, at + part)}, arguments);
}

void Queue::begin_progress(ProgressFlag&, std::uint64_t) {
  base::fail(ErrorCode::unsupported, "copies to this device cannot report their progress");
}

void Queue::copy_with_progress(Span, Span, ProgressFlag&) {
  base::fail(ErrorCode::unsupported, "copies to this device cannot report their progress");
}

}  // namespace heddle::device
