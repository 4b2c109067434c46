#include "fake_parameters.hpp"

#include <algorithm>
#include <regex>

namespace {

constexpr std::size_t first_address = 0x210;

std::size_t bytes_of(const std::string& type) { return std::stoul(type.substr(1)) / 8; }

// ".param .align 64 .b8 name[64]", ".param .u64 .ptr .align 8 name"
std::vector<FakeParameter> read_list(const std::string& list) {
  static const std::regex one(
      R"(\.param (?:\.align (\d+) )?\.([a-z]\d+) (?:\.ptr (?:\.[a-z]+ )?(?:\.align \d+ )?)?[^ ,\[]+(?:\[(\d+)\])?)");
  std::vector<FakeParameter> made;
  std::size_t at = first_address;
  for (std::sregex_iterator found(list.begin(), list.end(), one), end; found != end; ++found) {
    const std::size_t element = bytes_of((*found)[2]);
    const std::size_t align = (*found)[1].matched ? std::stoul((*found)[1]) : element;
    const std::size_t size = (*found)[3].matched ? element * std::stoul((*found)[3]) : element;
    at = (at + align - 1) / align * align;
    made.push_back({at - first_address, size});
    at += size;
  }
  return made;
}

}  // namespace

FakeParameters fake_parameters(const std::string& ptx) {
  constexpr char begin[] = ".entry ";
  FakeParameters made;
  for (std::size_t at = 0; (at = ptx.find(begin, at)) != std::string::npos;) {
    at += sizeof begin - 1;
    const std::size_t list = ptx.find('(', at), end = ptx.find(')', at);
    made[ptx.substr(at, list - at)] = read_list(ptx.substr(list, end - list));
  }
  return made;
}

std::string seen_parameters(const std::vector<FakeParameter>& parameters, const void* packed, std::size_t size,
                            void* const* pointers) {
  std::string seen;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const FakeParameter& parameter = parameters[i];
    if (pointers) {
      seen.append(static_cast<const char*>(pointers[i]), parameter.size);
    } else {
      std::string all(static_cast<const char*>(packed), size);
      all.resize(std::max(size, parameter.offset + parameter.size));  // zeros where nothing was given
      seen += all.substr(parameter.offset, parameter.size);
    }
  }
  return seen;
}
