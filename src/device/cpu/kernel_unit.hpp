// What one kernel needs of its module, on its own: the unit of compilation and of caching.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::device::cpu {

struct KernelUnit {
  // The kernel, the functions it may call, and the variables they name. Variables of the module's kind that are
  // declared within functions have become variables of the module. In place of its line, every instruction has its
  // number, counted from 1 over all functions, so that two modules that contain the same kernel give the same unit.
  ptx::Module module;
  std::uint32_t kernel = 0;  // index in module.functions

  static constexpr std::uint32_t module_scope = ~0u;
  // Where a variable of `module` comes from: index in the source module's variables, or in those of a function.
  struct VariableSource {
    std::uint32_t function = module_scope;
    std::uint32_t index = 0;
    friend auto operator<=>(const VariableSource&, const VariableSource&) = default;
  };
  std::vector<VariableSource> variables;
  // Where an instruction comes from, by its number - 1.
  struct Place {
    std::uint32_t function = 0, instruction = 0;
  };
  std::vector<Place> places;
  // By the number; null: no instruction has it.
  const Place* place_of(std::uint32_t number) const {
    return number == 0 || number > places.size() ? nullptr : &places[number - 1];
  }
};

enum class Lines : std::uint8_t { numbered, original };

// `entry` is an index in source.functions. With Lines::original instructions keep their lines: for messages.
KernelUnit extract_kernel(const ptx::Module& source, std::uint32_t entry, Lines lines = Lines::numbered);

}  // namespace heddle::device::cpu
