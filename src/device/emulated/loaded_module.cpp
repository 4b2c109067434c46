#include "device/emulated/loaded_module.hpp"

#include "base/fail.hpp"
#include "device/device.hpp"

namespace heddle::device::emulated {

void LoadedModule::no_function(std::string_view name) const {
  std::string names;
  for (const ptx::Function& function : program_.ptx().functions)
    if (function.is_entry) names += (names.empty() ? "" : ", ") + function.name;
  base::fail(ErrorCode::not_found, "the module has no kernel '{}'; it has {}", name, names.empty() ? "none" : names);
}

Function& LoadedModule::function(std::string_view name) {
  const ptx::Function* found = program_.ptx().find(name);
  if (!found || !found->is_entry || found->is_declaration) no_function(name);
  base::Lock lock(mutex_);
  auto place = functions_.find(name);
  if (place == functions_.end()) {
    auto loaded = std::make_unique<LoadedFunction>(program_, program_.code(*found), data_.get());
    place = functions_.emplace(std::string(name), std::move(loaded)).first;
  }
  return *place->second;
}

Span LoadedModule::variable(std::string_view name) {
  std::string names;
  const std::vector<ptx::Variable>& variables = program_.ptx().variables;
  for (std::uint32_t i = 0; i < variables.size(); ++i) {
    const std::uint64_t address = program_.variable_address(i);
    if (address == 0) continue;
    if (variables[i].name == name) return {&device_, address, machine::stored_size(variables[i])};
    names += (names.empty() ? "" : ", ") + variables[i].name;
  }
  base::fail(ErrorCode::not_found, "the module has no .global or .const variable '{}'; it has {}", name,
             names.empty() ? "none" : names);
}

}  // namespace heddle::device::emulated
