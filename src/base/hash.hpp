// Hashes of content: SHA-256 (FIPS 180-4) for cache keys, and a fast 64-bit one (FNV-1a) for tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heddle::base {

// Incremental SHA-256. add() takes the bytes alone; add_field() adds the length first, so that ("ab","c") and
// ("a","bc") differ.
class Sha256 {
 public:
  Sha256();
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text.data(), text.size()))); }
  void add_field(std::string_view text);
  // The digest of what was added so far; the object takes no more input afterwards.
  std::array<std::uint8_t, 32> digest();
  std::string hex();  // digest as 64 lower-case digits

 private:
  void compress(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_;
  std::array<std::uint8_t, 64> pending_{};
  std::uint64_t length_ = 0;
};

std::string sha256_hex(std::string_view text);

constexpr std::uint64_t hash64(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325ull) {
  std::uint64_t hash = seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

}  // namespace heddle::base
