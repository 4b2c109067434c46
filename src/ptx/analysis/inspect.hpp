// All that the analyses find of the kernels of a module, for people and for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "ptx/analysis/access/access.hpp"
#include "ptx/analysis/block_independence.hpp"
#include "ptx/analysis/resources.hpp"
#include "ptx/analysis/waiting/waiting.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

struct InspectedParameter {
  std::string name, type;  // "u64", "f32", "b8[24]"
  std::uint32_t offset = 0, size = 0, alignment = 0;
  bool is_pointer = false;
  bool may_be_index = false;  // see MemoryUse
  bool in_addresses = false;  // the same
  AccessMode access = AccessMode::none;
  std::string reason;             // why the access is unknown
  std::vector<MemoryUse> fields;  // of a structure: its pointers
  AccessWitness read_at = {}, written_at = {};
  // As in the source, "x" and "const float*"; the analyses leave them empty, for those who know the source.
  std::string label = {}, source_type = {};
};

struct InspectedVariable {
  std::string name;
  Space space = Space::global;
  AccessMode access = AccessMode::none;
};

struct InspectedKernel {
  std::string name;
  std::uint32_t function = 0, line = 0;
  std::vector<InspectedParameter> parameters;
  std::vector<InspectedVariable> variables;  // module variables that the kernel uses
  AccessMode elsewhere = AccessMode::none;   // memory that no parameter leads to
  std::string elsewhere_reason;
  Resources resources;
  BlockIndependence blocks;
  std::string dependence;  // "atom.global.add.u32 in line 17 of k uses ..."; empty when independent
  FunctionWaiting waiting;
  std::vector<std::string> warnings;
};

struct Inspection {
  std::vector<InspectedKernel> kernels;  // in the order of the module
};

Inspection inspect(const Module& module);
// One kernel, by its index in Module::functions; analyses the functions of the module all the same.
InspectedKernel inspect_kernel(const Module& module, std::uint32_t function);

std::string to_text(const Inspection& inspection);
nlohmann::json to_json(const Inspection& inspection);

}  // namespace heddle::ptx::analysis
