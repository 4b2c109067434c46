#include "device/sim/machine_file/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heddle::device::sim {
namespace {

struct Allowed {
  const Field& field;
  std::string operator()(unsigned*) const { return whole(); }
  std::string operator()(std::uint64_t*) const { return whole(); }
  std::string operator()(double*) const { return fmt::format("a number from {} to {}", field.low, field.high); }
  std::string operator()(bool*) const { return "true or false"; }
  std::string operator()(std::string*) const { return "a text"; }
  std::string operator()(const ChoiceRef& choice) const {
    return fmt::format("\"{}\"", fmt::join(choice.names, "\" or \""));
  }
  std::string whole() const {
    const auto low = static_cast<std::uint64_t>(field.low), high = static_cast<std::uint64_t>(field.high);
    return low == high ? fmt::format("{}", low) : fmt::format("a whole number from {} to {}", low, high);
  }
};

}  // namespace

std::string Field::path() const { return section.empty() ? std::string(key) : fmt::format("{}.{}", section, key); }

std::string Field::allowed() const {
  MachineDescription any;
  return std::visit(Allowed{*this}, in(any));
}

}  // namespace heddle::device::sim
