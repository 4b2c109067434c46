#include "runtime/loaded_code.hpp"

#include <utility>

#include "base/fail.hpp"

namespace heddle::runtime {

LoadedCode::LoadedCode(std::shared_ptr<core::Core> core, std::shared_ptr<const ptx::Module> module, std::string text,
                       std::string name)
    : core_(std::move(core)),
      module_(std::move(module)),
      text_(std::move(text)),
      name_(std::move(name)),
      loaded_(core_->places()),
      known_(core_->places()),
      variables_(core_->places()) {}

const ptx::analysis::Inspection& LoadedCode::inspection() {
  std::call_once(inspected_, [this] { inspection_ = ptx::analysis::inspect(*module_); });
  return inspection_;
}

const modules::SourceTypes& LoadedCode::source_types() {
  std::call_once(types_read_, [this] { source_types_.emplace(*module_, text_); });
  return *source_types_;
}

device::Module& LoadedCode::on(std::size_t place, std::span<const std::byte> machine_code,
                               std::span<const PlacedVariable> placed) {
  device::Module* const known = known_[place].load(std::memory_order_acquire);
  if (known != nullptr && placed.empty()) return *known;
  const base::Lock lock(loading_);
  if (!loaded_[place]) {
    loaded_[place] = core_->device(place).load(
        module_, {.check = core_->check(), .ranges = core_->ranges(), .machine_code = machine_code, .placed = placed});
    known_[place].store(loaded_[place].get(), std::memory_order_release);
  } else if (!placed.empty()) {
    base::fail(ErrorCode::invalid_argument, "{} was loaded on {} before its variables were placed", name_,
               core_->device(place).info().id);
  }
  return *loaded_[place];
}

graph::Access LoadedCode::variables_access(std::size_t place, graph::Mode mode) {
  variables_differ_ = variables_differ_ || graph::modifies(mode);
  if (!variables_[place]) variables_[place] = core_->scheduler().add_object(1, "variables of " + name_);
  return {*variables_[place], mode, 0, 1};
}

graph::ObjectId LoadedCode::logical_variables() {
  if (!logical_variables_) logical_variables_ = core_->dispatcher()->dag().add_object(1);
  return *logical_variables_;
}

void LoadedCode::remove_variables() {
  if (logical_variables_) core_->dispatcher()->dag().remove_object(*logical_variables_);
  for (const auto& object : variables_)
    if (object) core_->scheduler().dag().remove_object(*object);
}

}  // namespace heddle::runtime
