// A module in the memory of a machine: its variables and its decoded functions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/machine/code.hpp"
#include "device/machine/machine.hpp"
#include "device/module.hpp"
#include "heddle/placed_variables.hpp"

namespace heddle::device::machine {

class Program {
 public:
  // `placed`: LoadOptions.
  Program(Machine& machine, std::shared_ptr<const ptx::Module> module, std::span<const PlacedVariable> placed);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const ptx::Module& ptx() const { return *module_; }
  Machine& machine() const { return machine_; }
  // By index in Module::functions.
  const Code& code(std::uint32_t function) const { return *codes_[function]; }
  const Code& code(const ptx::Function& function) const {
    return *codes_[static_cast<std::size_t>(&function - module_->functions.data())];
  }
  // The function with this code address; null if there is none.
  const Code* code_at(std::uint64_t address) const;
  // By index in Module::variables; 0 for variables without memory in the program.
  std::uint64_t variable_address(std::uint32_t index) const { return addresses_[index]; }

 private:
  struct Storage;
  std::uint64_t store(const ptx::Variable& variable, const PlacedVariable* place);
  // `placed`: the variable is in host memory and has its values; only placeholders for addresses are replaced.
  void initialise(const ptx::Function* function, const ptx::Variable& variable, std::uint64_t address, bool placed);
  std::uint64_t symbol_value(const ptx::Function* function, const ptx::SymbolRef& symbol) const;

  Machine& machine_;
  std::shared_ptr<const ptx::Module> module_;
  std::vector<std::unique_ptr<Code>> codes_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::unique_ptr<Storage>> storage_;
};

// An entry of a program: its parameters and its shared window.
class Kernel {
 public:
  Kernel(const Program& program, const Code& code);

  const Program& program() const { return program_; }
  const Code& code() const { return code_; }
  const ptx::Function& ptx() const { return *code_.function; }
  const std::vector<ParameterLayout>& parameters() const { return parameters_; }
  std::uint32_t parameter_bytes() const { return parameter_bytes_; }
  const SharedLayout& shared() const { return shared_; }

 private:
  const Program& program_;
  const Code& code_;
  std::vector<ParameterLayout> parameters_;
  std::uint32_t parameter_bytes_ = 0;
  SharedLayout shared_;
};

}  // namespace heddle::device::machine
