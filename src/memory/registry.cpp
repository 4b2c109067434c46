#include "memory/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.hpp"

namespace heddle::memory {

Registry::Registry(std::vector<std::uint64_t> budgets) : spaces_(budgets.size()) {
  for (std::size_t i = 0; i < budgets.size(); ++i) spaces_[i].budget = budgets[i];
}

bool Registry::reserve(Space space, std::uint64_t bytes) {
  PerSpace& in = spaces_[space];
  if (bytes > in.budget || in.used > in.budget - bytes) return false;
  in.used += bytes;
  return true;
}

void Registry::remove(Space space, Array& array) {
  std::erase(spaces_[space].arrays, &array);
  spaces_[space].used -= array.bytes();
}

void Registry::add_explicit(Space space, std::uint64_t bytes) {
  spaces_[space].explicit_bytes += bytes;
  ++spaces_[space].explicit_count;
}

void Registry::remove_explicit(Space space, std::uint64_t bytes) {
  spaces_[space].explicit_bytes -= bytes;
  --spaces_[space].explicit_count;
}

std::string Registry::describe(Space space) const {
  const PerSpace& in = spaces_[space];
  std::uint64_t total = 0, largest = 0;
  for (const Array* array : in.arrays) {
    total += array->bytes();
    largest = std::max<std::uint64_t>(largest, array->bytes());
  }
  std::string text = in.arrays.empty() ? "no array takes memory there"
                     : in.arrays.size() == 1
                         ? "one array takes " + base::format_bytes(total)
                         : fmt::format("{} take {}, the largest {}", base::counted(in.arrays.size(), "array"),
                                       base::format_bytes(total), base::format_bytes(largest));
  if (const std::uint64_t count = in.explicit_count.load(); count > 0)
    text += fmt::format("; {} of the program {} {}", base::counted(count, "allocation"), count == 1 ? "takes" : "take",
                        base::format_bytes(in.explicit_bytes.load()));
  return text;
}

}  // namespace heddle::memory
