#include "base/mapped_memory.hpp"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace heddle::base {
namespace {

struct Mapping {
  std::uint64_t begin = 0, end = 0;
  bool readable = false;
};

// "7f5c1000-7f5c2000 rw-p ..."
Mapping mapping_of(std::string_view line) {
  Mapping mapping;
  const char* const end = line.data() + line.size();
  const auto first = std::from_chars(line.data(), end, mapping.begin, 16);
  if (first.ec != std::errc{} || first.ptr == end) return {};
  const auto second = std::from_chars(first.ptr + 1, end, mapping.end, 16);
  if (second.ec != std::errc{} || end - second.ptr < 2) return {};
  mapping.readable = second.ptr[1] == 'r';
  return mapping;
}

}  // namespace

bool is_mapped(const void* data, std::size_t bytes) {
  const auto maps = read_file_if_there("/proc/self/maps");
  if (!maps) return true;
  std::uint64_t next = reinterpret_cast<std::uint64_t>(data), last = 0;  // the first byte that is not yet found
  if (__builtin_add_overflow(next, bytes, &last)) return false;
  std::string_view rest = *maps;
  // Mappings are in the order of their addresses.
  while (next < last && !rest.empty()) {
    const std::size_t end = rest.find('\n');
    const Mapping mapping = mapping_of(rest.substr(0, end));
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    if (mapping.end <= next) continue;
    if (mapping.begin > next || !mapping.readable) return false;
    next = mapping.end;
  }
  return next >= last;
}

}  // namespace heddle::base
