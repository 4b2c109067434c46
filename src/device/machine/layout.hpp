// Layout of variables and frames in their windows.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::device::machine {

// Alignment of shared and local windows; variables may ask for as much.
inline constexpr std::uint64_t window_alignment = 1024;

// Alignment of memory from malloc().
inline constexpr std::uint64_t heap_alignment = 16;

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment);

// The part of a thread's local memory that one activation of a function takes: its .local and .param variables and, for
// a .func, its parameters and results. Offsets are from the start of the frame; no_place for variables that are
// elsewhere.
struct FrameLayout {
  static constexpr std::uint64_t no_place = ~std::uint64_t{0};
  static constexpr std::uint64_t alignment = 16;
  std::vector<std::uint64_t> variables, parameters, returns;
  std::uint64_t bytes = 0;
  std::uint64_t own_alignment = alignment;  // of the frame: the largest of its variables'
};
FrameLayout frame_layout(const ptx::Function& function);

// The shared window of an entry. First the static variables of the module and of the functions that the entry can
// reach, in order, if one of these functions uses them. Then dynamic memory, where all unsized variables begin.
struct SharedLayout {
  static constexpr std::uint64_t no_place = ~std::uint64_t{0};
  std::vector<std::uint64_t> module_variables;                 // by index in Module::variables
  std::vector<std::vector<std::uint64_t>> function_variables;  // by function, by index in Function::variables
  std::uint64_t static_bytes = 0;
};
SharedLayout shared_layout(const ptx::Module& module, const ptx::Function& entry);

// Bytes of a variable. Unsized arrays with an initialiser have the initialiser's size.
std::uint64_t stored_size(const ptx::Variable& variable);

}  // namespace heddle::device::machine
