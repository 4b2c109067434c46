// The keys of a machine file: where each value is, its unit, what it may be and what it means. Reader, writer and the
// table in docs/machines.md are made from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "device/sim/machine_file/description.hpp"

namespace heddle::device::sim {

// A value that is one of a few names; its number is the index of the name.
struct ChoiceRef {
  std::uint8_t* number;
  std::span<const std::string_view> names;
};
using FieldRef = std::variant<unsigned*, std::uint64_t*, double*, bool*, std::string*, ChoiceRef>;

struct Field {
  std::string_view section;  // "pipes.fma"; empty for keys at the top of a file
  std::string_view key;
  std::string_view unit;
  double low, high;  // of numbers, both allowed
  FieldRef (*in)(MachineDescription&);
  std::string_view meaning;

  std::string path() const;     // "pipes.fma.latency"
  std::string allowed() const;  // "a whole number from 1 to 64", for messages and the table
};

std::span<const Field> sm_fields();      // the machine as a whole, and what is in an SM but memory
std::span<const Field> memory_fields();  // memory, from the SM's to DRAM
// Calls f(field) for every field, in the order of a file.
template <typename F>
void for_each_field(F&& f) {
  for (const Field& field : sm_fields()) f(field);
  for (const Field& field : memory_fields()) f(field);
}

}  // namespace heddle::device::sim
