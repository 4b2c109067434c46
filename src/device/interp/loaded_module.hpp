// A module on the interpreter: its variables in memory, its functions with what execution looks up often.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "device/interp/layout.hpp"
#include "device/interp/state.hpp"
#include "device/module.hpp"
#include "heddle/placed_variables.hpp"
#include "ptx/forms.hpp"

namespace heddle::device::interp {

class LoadedModule;

// A function with the slots of its instructions resolved and its frame laid out. Its address is its "code address".
struct Code {
  const ptx::Function* function = nullptr;
  std::uint32_t index = 0;           // in Module::functions
  std::vector<ptx::SlotList> slots;  // by instruction
  FrameLayout frame;
  std::vector<std::uint64_t> static_addresses;  // of .global and .const variables of the body; 0 for others
};

class LoadedFunction final : public Function {
 public:
  LoadedFunction(LoadedModule& module, const Code& code);
  const ptx::Function& ptx() const override { return *code_.function; }
  const std::vector<ParameterLayout>& parameters() const override { return parameters_; }
  std::uint32_t parameter_bytes() const override { return parameter_bytes_; }
  std::uint64_t static_shared_bytes() const override { return shared_.static_bytes; }
  void prepare(const Dim3&) override {}
  std::vector<Occupancy> occupancy(const Dim3&, std::uint32_t) override { return {}; }

  LoadedModule& module() const { return module_; }
  const Code& code() const { return code_; }
  const SharedLayout& shared() const { return shared_; }

 private:
  LoadedModule& module_;
  const Code& code_;
  std::vector<ParameterLayout> parameters_;
  std::uint32_t parameter_bytes_ = 0;
  SharedLayout shared_;
};

class LoadedModule final : public Module {
 public:
  // `placed`: LoadOptions.
  LoadedModule(Device& device, std::shared_ptr<DeviceState> state, std::shared_ptr<const ptx::Module> module,
               std::span<const PlacedVariable> placed);
  ~LoadedModule() override;
  Function& function(std::string_view name) override;
  Span variable(std::string_view name) override;

  const ptx::Module& ptx() const { return *module_; }
  DeviceState& state() const { return *state_; }
  const Code& code(std::uint32_t function) const { return *codes_[function]; }
  // The function with this code address, or null.
  const Code* code_at(std::uint64_t address) const;
  std::uint64_t variable_address(std::uint32_t index) const { return addresses_[index]; }

 private:
  struct Storage;
  std::uint64_t store(const ptx::Variable& variable, const PlacedVariable* place);
  // `placed`: but for what the host has left to the device, it has its values.
  void initialise(const ptx::Function* function, const ptx::Variable& variable, std::uint64_t address, bool placed);
  std::uint64_t symbol_value(const ptx::Function* function, const ptx::SymbolRef& symbol) const;
  [[noreturn]] void no_function(std::string_view name) const;

  Device& device_;
  std::shared_ptr<DeviceState> state_;
  std::shared_ptr<const ptx::Module> module_;
  std::vector<std::unique_ptr<Code>> codes_;
  std::vector<std::uint64_t> addresses_;  // of module variables; 0 for those without memory here
  std::vector<std::unique_ptr<Storage>> storage_;
  std::map<std::string, std::unique_ptr<LoadedFunction>, std::less<>> functions_;
  std::mutex mutex_;
};

}  // namespace heddle::device::interp
