// One kernel of a module as a module of its own, to be compiled later than the rest: what it works on stays the module
// that it comes from. Its functions are copies. Variables in global memory are those of the first module: their
// addresses are in a table that the loader of the second module fills in. Variables in constant memory, which has no
// addresses that code of another module could use as fast, are copies that must be updated before a launch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::ptx {

// Why kernels of this module cannot be modules of their own; nothing when all can. Looks at each operand once.
std::optional<std::string> find_single_kernel_refusal(const Module& module);

// The function, all that it calls and the variables that these name, by their names and in their order; without debug
// information, but with the lines of the source. The function has the index of its definition: `place` receives it.
Module take_function(const Module& module, std::uint32_t function, std::uint32_t& place);

struct SharedVariables {
  std::string table;                  // .const array of addresses, 8 bytes each; empty: no table
  std::vector<std::string> global;    // what the table holds the addresses of, in its order
  std::vector<std::string> constant;  // variables that are copies: of the same names and sizes, without initial values
};

// Makes the variables of a module as of take_function() those of another one that has no refusal.
SharedVariables share_variables(Module& module);

}  // namespace heddle::ptx
