// Numbers as text for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::base {

std::string format_bytes(std::uint64_t bytes);                    // "512 B", "1.5 KiB", "2.00 GiB"
std::string format_duration(double seconds);                      // "850 ns", "1.25 ms", "3.40 s", "2 min 5 s"
std::string format_bandwidth(double bytes_per_second);            // "12.3 GB/s": powers of ten, as memory makers count
std::string format_count(std::uint64_t count);                    // "1 048 576"
std::string counted(std::uint64_t count, std::string_view what);  // counted(1, "byte"): "1 byte"; else "4 bytes"
// "(3, 0, 0)": the index of a block or a thread, or an extent.
std::string format_triple(std::uint64_t x, std::uint64_t y, std::uint64_t z);

}  // namespace heddle::base
