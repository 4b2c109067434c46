// Hash tables from fixed sets of names to small numbers, built at compile time: mnemonics, suffixes, types, directives
// and special registers are all looked up with them, without allocation.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace heddle::ptx {

// A hash of a short name: two overlapping words of it, mixed. The same at compile time and at run time.
constexpr std::uint64_t load_bytes(const char* p, std::size_t count) {
  if (!std::is_constant_evaluated()) {
    std::uint64_t word = 0;
    if (count == 8)
      std::memcpy(&word, p, 8);
    else if (count == 4) {
      std::uint32_t half;
      std::memcpy(&half, p, 4);
      word = half;
    } else
      for (std::size_t i = 0; i < count; ++i) word |= std::uint64_t{static_cast<unsigned char>(p[i])} << (8 * i);
    return word;
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i) word |= std::uint64_t{static_cast<unsigned char>(p[i])} << (8 * i);
  return word;
}

constexpr std::uint32_t hash_text(std::string_view text) {
  constexpr std::uint64_t multiplier = 0xD6E8FEB86659FD93u;
  const char* p = text.data();
  std::size_t left = text.size();
  std::uint64_t h = left * 0x9E3779B97F4A7C15u;
  const auto mix = [&](std::uint64_t word) {
    h = (h ^ word) * multiplier;
    h ^= h >> 32;
  };
  if (left >= 8) {
    for (; left > 8; left -= 8, p += 8) mix(load_bytes(p, 8));
    mix(load_bytes(p + left - 8, 8));
  } else if (left >= 4) {
    mix(load_bytes(p, 4) | load_bytes(p + left - 4, 4) << 32);
  } else {
    mix(load_bytes(p, left));
  }
  return static_cast<std::uint32_t>(h);
}

// Open addressing at a quarter load; the names must live as long as the table (string literals).
template <std::size_t count>
class NameLookup {
 public:
  static constexpr std::uint16_t not_found = 0xFFFF;
  using Entry = std::pair<std::string_view, std::uint16_t>;

  constexpr explicit NameLookup(const std::array<Entry, count>& entries) {
    for (const Entry& entry : entries) {
      std::size_t i = hash_text(entry.first) & mask;
      while (values_[i] != not_found) i = (i + 1) & mask;
      names_[i] = entry.first;
      values_[i] = entry.second;
    }
  }

  constexpr std::uint16_t find(std::string_view name) const {
    for (std::size_t i = hash_text(name) & mask; values_[i] != not_found; i = (i + 1) & mask)
      if (names_[i] == name) return values_[i];
    return not_found;
  }

 private:
  static constexpr std::size_t capacity = std::bit_ceil(count * 4);
  static constexpr std::size_t mask = capacity - 1;
  static constexpr std::array<std::uint16_t, capacity> empty() {
    std::array<std::uint16_t, capacity> result{};
    for (auto& value : result) value = not_found;
    return result;
  }
  std::array<std::string_view, capacity> names_{};
  std::array<std::uint16_t, capacity> values_ = empty();
};

}  // namespace heddle::ptx
