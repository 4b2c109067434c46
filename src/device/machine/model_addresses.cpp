#include "device/machine/model_addresses.hpp"

#include <algorithm>
#include <iterator>

namespace heddle::device::machine {
namespace {

constexpr std::uint64_t rounded(std::uint64_t bytes, std::uint64_t unit) {
  return (std::max<std::uint64_t>(bytes, 1) + unit - 1) / unit * unit;
}
bool shares(std::uint64_t bytes) { return bytes < ModelAddresses::region / 2; }

}  // namespace

// 0: there is no such piece.
std::uint64_t ModelAddresses::take_from(Free& free, std::uint64_t bytes) {
  const auto fits = std::find_if(free.begin(), free.end(), [&](const auto& piece) { return piece.second >= bytes; });
  if (fits == free.end()) return 0;
  const auto [address, size] = *fits;
  free.erase(fits);
  if (size > bytes) free.emplace(address + bytes, size - bytes);
  return address;
}

void ModelAddresses::give_to(Free& free, std::uint64_t address, std::uint64_t bytes) {
  auto made = free.emplace(address, bytes).first;
  if (const auto next = std::next(made); next != free.end() && address + bytes == next->first) {
    made->second += next->second;
    free.erase(next);
  }
  if (made == free.begin()) return;
  if (const auto before = std::prev(made); before->first + before->second == made->first) {
    before->second += made->second;
    free.erase(made);
  }
}

std::uint64_t ModelAddresses::take_regions(std::uint64_t bytes) {
  if (const std::uint64_t found = take_from(whole_, bytes)) return found;
  const std::uint64_t made = end_;
  end_ += bytes;
  return made;
}

std::uint64_t ModelAddresses::take(std::uint64_t bytes) {
  if (!shares(bytes)) return take_regions(rounded(bytes, region));
  const std::uint64_t size = rounded(bytes, alignment);
  if (const std::uint64_t found = take_from(shared_, size)) return found;
  give_to(shared_, take_regions(region), region);
  return take_from(shared_, size);
}

void ModelAddresses::release(std::uint64_t address, std::uint64_t bytes) {
  if (shares(bytes)) {
    give_to(shared_, address, rounded(bytes, alignment));
  } else {
    give_to(whole_, address, rounded(bytes, region));
  }
}

}  // namespace heddle::device::machine
