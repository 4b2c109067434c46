#include "cuda_api/driver/runtime_check.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace heddle::cuda_api {
namespace {

constexpr std::size_t block_bytes = 16;
using Block = std::array<std::uint8_t, block_bytes>;

// RFC 1319, section 3.2: a permutation of the bytes, made of the digits of pi.
constexpr std::array<std::uint8_t, 256> table = {
    41,  46,  67,  201, 162, 216, 124, 1,   61,  54,  84,  161, 236, 240, 6,   19,  98,  167, 5,   243, 192, 199,
    115, 140, 152, 147, 43,  217, 188, 76,  130, 202, 30,  155, 87,  60,  253, 212, 224, 22,  103, 66,  111, 24,
    138, 23,  229, 18,  190, 78,  196, 214, 218, 158, 222, 73,  160, 251, 245, 142, 187, 47,  238, 122, 169, 104,
    121, 145, 21,  178, 7,   63,  148, 194, 16,  137, 11,  34,  95,  33,  128, 127, 93,  154, 90,  144, 50,  39,
    53,  62,  204, 231, 191, 247, 151, 3,   255, 25,  48,  179, 72,  165, 181, 209, 215, 94,  146, 42,  172, 86,
    170, 198, 79,  184, 56,  210, 150, 164, 125, 182, 118, 252, 107, 226, 156, 116, 4,   241, 69,  157, 112, 89,
    100, 113, 135, 32,  134, 91,  207, 101, 230, 45,  168, 2,   27,  96,  37,  173, 174, 176, 185, 246, 28,  70,
    97,  105, 52,  64,  126, 15,  85,  71,  163, 35,  221, 81,  175, 58,  195, 92,  249, 206, 186, 197, 234, 38,
    44,  83,  13,  110, 133, 40,  132, 9,   211, 223, 205, 244, 65,  129, 77,  82,  106, 220, 55,  200, 108, 193,
    171, 250, 36,  225, 123, 8,   12,  189, 177, 74,  120, 136, 149, 139, 227, 99,  232, 109, 233, 203, 213, 254,
    59,  0,   29,  57,  242, 239, 183, 14,  102, 88,  208, 228, 166, 119, 114, 248, 235, 117, 75,  10,  49,  68,
    80,  180, 143, 237, 31,  26,  219, 153, 141, 51,  159, 17,  131, 20};

// RFC 1319, sections 3.2 and 3.4.
class Hash {
 public:
  void add(std::span<const std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) {
      pending_[filled_++] = byte;
      if (filled_ == block_bytes) absorb();
    }
  }
  Block finish() {
    const auto padding = static_cast<std::uint8_t>(block_bytes - filled_);
    const std::vector<std::uint8_t> pad(padding, padding);
    add(pad);
    const Block checksum = checksum_;
    add(checksum);
    Block digest{};
    std::copy_n(state_.begin(), block_bytes, digest.begin());
    return digest;
  }

 private:
  void absorb() {
    filled_ = 0;
    for (std::size_t i = 0; i < block_bytes; ++i) {
      state_[block_bytes + i] = pending_[i];
      state_[2 * block_bytes + i] = static_cast<std::uint8_t>(state_[i] ^ pending_[i]);
    }
    std::uint8_t last = checksum_.back();
    for (std::size_t i = 0; i < block_bytes; ++i)
      last = checksum_[i] = static_cast<std::uint8_t>(checksum_[i] ^ table[pending_[i] ^ last]);
    constexpr unsigned rounds = 18;
    unsigned carried = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      for (std::uint8_t& byte : state_) carried = byte = static_cast<std::uint8_t>(byte ^ table[carried]);
      carried = (carried + round) % 256;
    }
  }

  std::array<std::uint8_t, 3 * block_bytes> state_{};
  Block checksum_{}, pending_{};
  std::size_t filled_ = 0;
};

template <class T>
std::span<const std::uint8_t> bytes_of(const T& value) {
  return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
}

Block with(Block key, std::uint8_t mask) {
  for (std::uint8_t& byte : key) byte ^= mask;
  return key;
}

}  // namespace

std::array<std::uint8_t, 16> md2(std::span<const std::uint8_t> message) {
  Hash hash;
  hash.add(message);
  return hash.finish();
}

RuntimeCheckCode runtime_check_code(const RuntimeCheckProcess& process, std::span<const RuntimeCheckDevice> devices) {
  constexpr Block key = {0x14, 0x6A, 0xDD, 0xAE, 0x53, 0xA9, 0xA7, 0x52,
                         0xAA, 0x08, 0x41, 0x36, 0x0B, 0xF5, 0x5A, 0x9F};
  constexpr std::uint8_t inner_mask = 0x36, outer_mask = 0x5C;
  Hash inner;
  inner.add(with(key, inner_mask));
  inner.add(bytes_of(process));
  for (const RuntimeCheckDevice& device : devices) inner.add(bytes_of(device));
  const Block inside = inner.finish();
  Hash outer;
  outer.add(with(key, outer_mask));
  outer.add(inside);
  const Block digest = outer.finish();
  RuntimeCheckCode code{};
  std::memcpy(code.data(), digest.data(), digest.size());
  return code;
}

}  // namespace heddle::cuda_api
