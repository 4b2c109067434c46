#include "runtime/module_state.hpp"

#include <utility>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/log.hpp"
#include "ptx/rewrite/block_ranges.hpp"
#include "ptx/rewrite/single_kernel.hpp"
#include "runtime/annotation.hpp"
#include "runtime/arguments.hpp"
#include "runtime/awaiting_form.hpp"
#include "runtime/core.hpp"
#include "runtime/inspect.hpp"
#include "runtime/kernel_name.hpp"

namespace heddle::runtime {

namespace {

std::optional<graph::Mode> mode_of(const std::vector<ptx::analysis::InspectedVariable>& variables) {
  using ptx::analysis::AccessMode;
  std::optional<graph::Mode> mode;
  for (const ptx::analysis::InspectedVariable& variable : variables) {
    if (variable.access == AccessMode::none) continue;
    const bool reads = variable.access == AccessMode::read;
    if (!reads) return graph::Mode::read_write;
    mode = graph::Mode::read;
  }
  return mode;
}

}  // namespace

KernelState::KernelState(ModuleState& module, const ptx::Function& function)
    : module_(module), function_(function), id_(next_id()) {
  info_.name = function.name;
}

KernelState::KernelState(const KernelState& kernel, KernelInfo info)
    : module_(kernel.module_),
      function_(kernel.function_),
      id_(next_id()),
      info_(std::move(info)),
      packed_bytes_(kernel.packed_bytes_),
      takes_address_(kernel.takes_address_),
      shown_(kernel.shown_),
      variables_(kernel.variables_),
      history_(kernel.history_) {
  for (const Parameter& parameter : info_.parameters) annotated_ |= parameter.direction != Direction::found;
}

KernelState::~KernelState() = default;

AwaitingForm* KernelState::awaiting(std::size_t place) {
  if (awaiting_.empty()) awaiting_.resize(module_.core()->places());
  if (!awaiting_[place]) {
    const auto index = static_cast<std::uint32_t>(&function_ - module_.ptx().functions.data());
    awaiting_[place] =
        variables_ ? nullptr : make_awaiting_form(*module_.core()->place(place).device, module_.ptx(), index);
  }
  return awaiting_[place]->get();
}

void KernelState::analyse() {
  module_.analyse();
  analysed_.store(true, std::memory_order_release);
}

bool KernelState::blocks_independent() {
  std::uint32_t place = 0;
  const ptx::Module& module = module_.ptx();
  // Where functions are called through pointers the kernel alone does not show which.
  if (ptx::find_single_kernel_refusal(module)) return info().blocks_independent;
  const ptx::Module alone =
      ptx::take_function(module, static_cast<std::uint32_t>(&function_ - module.functions.data()), place);
  return ptx::find_range_facts(alone).blocks[place].independent();
}

device::Function& KernelState::on(std::size_t place) {
  if (loaded_.empty()) loaded_.resize(module_.core()->places());
  if (loaded_[place] == nullptr) loaded_[place] = &module_.on(place).function(function_.name);
  return *loaded_[place];
}

ModuleState::ModuleState(std::shared_ptr<Core> core, std::shared_ptr<const ptx::Module> module, std::string text,
                         std::string name)
    : core_(std::move(core)),
      module_(std::move(module)),
      text_(std::move(text)),
      name_(std::move(name)),
      loaded_(core_->places()),
      variables_(core_->places()) {
  for (const ptx::Function& function : module_->functions) {
    if (function.is_entry && !function.is_declaration) {
      kernels_.push_back(std::make_unique<KernelState>(*this, function));
    }
  }
}

// Launches do not say which module they are of, which would cost each of them time: all must end.
ModuleState::~ModuleState() {
  {
    const std::lock_guard lock(core_->mutex_at_end());
    core_->replayer().settle();
  }
  core_->engine().drain();
  const std::lock_guard lock(core_->mutex_at_end());
  for (const auto& object : variables_)
    if (object) core_->engine().dag().remove_object(*object);
}

graph::Access ModuleState::variables_access(std::size_t place, graph::Mode mode) {
  variables_differ_ = variables_differ_ || graph::modifies(mode);
  if (!variables_[place]) variables_[place] = core_->engine().add_object(1, "variables of " + name_);
  return {*variables_[place], mode, 0, 1};
}

void ModuleState::analyse() {
  std::call_once(analysed_, [this] {
    for (const ptx::analysis::InspectedKernel& found : ptx::analysis::inspect(*module_).kernels) {
      const ptx::Function* function = &module_->functions[found.function];
      for (const auto& kernel : kernels_) {
        if (&kernel->function_ != function) continue;
        kernel->info_ = public_info(found);
        kernel->packed_bytes_ = packed_bytes(kernel->info_);
        for (const Parameter& parameter : kernel->info_.parameters)
          kernel->takes_address_.push_back(takes_address(parameter));
        for (std::size_t i = 0; i < found.parameters.size(); ++i)
          kernel->shown_.push_back(
              {kernel->info_.parameters[i].access, found.parameters[i].read_at, found.parameters[i].written_at});
        kernel->variables_ = mode_of(found.variables);
      }
    }
  });
}

std::shared_ptr<KernelState> ModuleState::kernel(std::string_view name) {
  std::vector<KernelState*> found;
  for (const auto& kernel : kernels_) {
    if (kernel->name() == name) return {shared_from_this(), kernel.get()};
    if (source_name_matches(kernel->name(), name)) found.push_back(kernel.get());
  }
  if (found.size() == 1) return {shared_from_this(), found.front()};
  const auto names = [](const auto& list) {
    std::string text;
    for (const auto& kernel : list) text += (text.empty() ? "" : ", ") + readable_name(kernel->name());
    return text;
  };
  if (!found.empty()) {
    base::fail(ErrorCode::not_found, "'{}' fits {} kernels of {}; give the whole name of one of them: {}", name,
               found.size(), name_, names(found));
  }
  base::fail(ErrorCode::not_found, "{} has no kernel '{}'; it has {}", name_, name,
             kernels_.empty() ? "no kernels at all" : names(kernels_));
}

std::shared_ptr<KernelState> ModuleState::kernel(std::string_view name, std::string_view signature) {
  const Signature parsed = parse_signature(signature);
  const std::shared_ptr<KernelState> plain = kernel(name);
  KernelInfo info = annotated(*plain, plain->info(), parsed);
  const std::lock_guard lock(signatures_mutex_);
  std::unique_ptr<KernelState>& made = with_signatures_[{plain.get(), to_text(parsed)}];
  if (!made) made = std::make_unique<KernelState>(*plain, std::move(info));
  return {shared_from_this(), made.get()};
}

device::Module& ModuleState::on(std::size_t place, std::span<const std::byte> machine_code,
                                std::span<const PlacedVariable> placed) {
  if (!loaded_[place]) {
    loaded_[place] = core_->place(place).device->load(
        module_, {.check = core_->check(), .ranges = core_->ranges(), .machine_code = machine_code, .placed = placed});
  } else if (!placed.empty()) {
    base::fail(ErrorCode::invalid_argument, "{} was loaded on {} before its variables were placed", name_,
               core_->place(place).device->info().id);
  }
  return *loaded_[place];
}

std::string ModuleState::variable_name(std::string_view name) const {
  std::string all, fitting, found;
  unsigned count = 0;
  for (const ptx::Variable& variable : module_->variables) {
    if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) continue;
    const Maker maker = maker_of_variable(variable.name);
    if (maker == Maker::heddle) continue;
    if (variable.name == name) return variable.name;
    if (maker == Maker::compiler) continue;
    const std::string readable = readable_name(variable.name);
    all += (all.empty() ? "" : ", ") + readable;
    if (!source_name_matches(variable.name, name)) continue;
    fitting += (fitting.empty() ? "" : ", ") + readable;
    found = variable.name;
    ++count;
  }
  if (count == 1) return found;
  if (count > 1) {
    base::fail(ErrorCode::not_found, "'{}' fits {} variables of {}; give the whole name of one of them: {}", name,
               count, name_, fitting);
  }
  base::fail(ErrorCode::not_found, "{} has no variable '{}'; it has {}", name_, name,
             all.empty() ? "no variables at all" : all);
}

device::Span ModuleState::variable(std::string_view name, std::size_t offset, std::size_t bytes, std::size_t place) {
  const device::Span whole = on(place).variable(variable_name(name));
  if (offset > whole.size || bytes > whole.size - offset) {
    base::fail(ErrorCode::invalid_argument, "variable '{}' of {} has {}, so {} from byte {} on {} not fit", name, name_,
               base::counted(whole.size, "byte"), base::counted(bytes, "byte"), offset, bytes == 1 ? "does" : "do");
  }
  return whole.sub(offset, bytes);
}

void ModuleState::write_variable(std::string_view name, std::size_t offset, std::span<const std::byte> bytes,
                                 std::size_t place) {
  graph::TaskRefs copied;
  {
    const std::lock_guard lock(core_->mutex());
    core_->replayer().settle();
    const device::Span to = variable(name, offset, bytes.size(), place);
    const graph::Access access = variables_access(place, graph::Mode::read_write);
    copied.push_back(
        core_->engine()
            .submit(place, {&access, 1},
                    [&](device::Queue& queue) { queue.copy(to, device::Span::host(bytes.data(), bytes.size())); })
            .task);
  }
  core_->engine().wait(copied);
}

void ModuleState::read_variable(std::string_view name, std::size_t offset, std::span<std::byte> bytes,
                                std::size_t place) {
  graph::TaskRefs copied;
  {
    const std::lock_guard lock(core_->mutex());
    core_->replayer().settle();
    const device::Span from = variable(name, offset, bytes.size(), place);
    const graph::Access access = variables_access(place, graph::Mode::read);
    copied.push_back(
        core_->engine()
            .submit(place, {&access, 1},
                    [&](device::Queue& queue) { queue.copy(device::Span::host(bytes.data(), bytes.size()), from); })
            .task);
  }
  core_->engine().wait(copied);
}

}  // namespace heddle::runtime
