#include "device/cuda/module.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "base/kernel_name.hpp"
#include "base/log.hpp"
#include "device/cuda/exact_cast.hpp"
#include "device/device.hpp"
#include "device/launch_check.hpp"
#include "device/parameter_layout.hpp"
#include "ptx/printer.hpp"
#include "ptx/rewrite/single_kernel.hpp"

namespace heddle::device::cuda {

using driver::FunctionAttribute;
using driver::Result;

namespace {

bool has_memory(const ptx::Variable& variable) {
  return variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
}

bool is_aligned_widely(const ptx::Variable& parameter) {
  constexpr std::uint32_t alignment_of_all_banks = 16;
  return parameter.alignment() > alignment_of_all_banks;
}

std::uint64_t next_function_id() {
  static std::atomic<std::uint64_t> next{1};
  return next++;
}

void append(std::string& list, const std::string& name) { list += (list.empty() ? "" : ", ") + name; }

}  // namespace

CudaFunction::CudaFunction(CudaModule& module, std::uint32_t index)
    : module_(module),
      ptx_(module.ptx().functions[index]),
      index_(index),
      id_(next_function_id()),
      parameters_(parameter_layout(ptx_.parameters)),
      parameter_bytes_(device::parameter_bytes(ptx_.parameters)),
      has_own_places_(std::any_of(ptx_.parameters.begin(), ptx_.parameters.end(), is_aligned_widely)),
      whole_(module.state(), module.handle(), ptx_.name) {
  static_shared_ = static_cast<std::uint64_t>(whole_.attribute(module.state(), FunctionAttribute::static_shared_bytes));
}

void CudaFunction::prepare(const Dim3&) {
  if (prepared_.load(std::memory_order_acquire)) return;  // the driver takes a microsecond to say that it is
  const DeviceState::Current current(module_.state());
  whole_.load(module_.state());
  for (const ptx::RangeEntry& entry : module_.ranges().entries)
    if (entry.original == index_) range(entry.form).function->load(module_.state());
  prepared_.store(true, std::memory_order_release);
}

bool CudaFunction::prepare_ranges() {
  const DeviceState::Current current(module_.state());
  try {
    // Ranges of any shape run the linear form, if there is one, or the box or prelude form (part_launcher.cpp).
    for (const ptx::RangeForm form : {ptx::RangeForm::linear, ptx::RangeForm::box, ptx::RangeForm::prelude})
      if (has(form)) range(form).function->load(module_.state());
  } catch (const Error& error) {
    if (error.code() == ErrorCode::device_lost) throw;
    base::log_debug("launches of kernel {} stay whole: {}", ptx_.name, error.what());
    return false;
  }
  return has(ptx::RangeForm::linear) || has(ptx::RangeForm::box) || has(ptx::RangeForm::prelude);
}

std::optional<Occupancy> CudaFunction::whole_occupancy(const Dim3& block, std::uint32_t dynamic_shared_bytes) {
  const DeviceState& state = module_.state();
  check_launch(state.info(), *this, {.block = block, .dynamic_shared_bytes = dynamic_shared_bytes}, {0, 1},
               parameter_bytes_);
  const DeviceState::Current current(state);
  return whole_.occupancy(state, "whole grid", block.count(), dynamic_shared_bytes);
}

std::vector<Occupancy> CudaFunction::occupancy(const Dim3& block, std::uint32_t dynamic_shared_bytes) {
  const DeviceState& state = module_.state();
  std::vector<Occupancy> all{*whole_occupancy(block, dynamic_shared_bytes)};
  const DeviceState::Current current(state);
  const Forms forms = this->forms();
  for (const ptx::RangeEntry& entry : forms.module->entries) {
    if (entry.original != forms.kernel) continue;
    all.push_back(range(entry.form)
                      .function->occupancy(state, fmt::format("range ({})", ptx::name(entry.form)), block.count(),
                                           dynamic_shared_bytes));
  }
  return all;
}

CudaFunction::Forms CudaFunction::forms() {
  if (!module_.ranges_are_late()) return {&module_.ranges(), index_};
  const base::Lock lock(mutex_);
  if (!late_) late_ = std::make_unique<LateRanges>(module_.state(), module_, module_.ptx(), index_);
  return {&late_->forms(), late_->kernel()};
}

bool CudaFunction::has(ptx::RangeForm form) {
  const Forms all = forms();
  return all.module->find(all.kernel, form) != nullptr;
}

DependentForm& CudaFunction::dependent_form() {
  const base::Lock lock(mutex_);
  if (!dependent_) dependent_ = std::make_unique<DependentForm>(module_.state(), module_.ptx(), index_);
  return *dependent_;
}

RangeCode CudaFunction::range(ptx::RangeForm form) {
  const Forms all = forms();
  const ptx::RangeEntry* entry = all.module->find(all.kernel, form);
  if (!entry) {
    for (const ptx::RangeRefusal& refusal : all.module->refusals)
      if (refusal.original == all.kernel && refusal.form == form)
        base::fail(ErrorCode::unsupported, "kernel '{}' cannot run a part of its grid on {}: {}",
                   base::demangled(ptx_.name), module_.state().info().id, refusal.reason);
    base::fail(ErrorCode::unsupported,
               "kernel '{}' cannot run a part of its grid on {}: its module was loaded without LoadOptions::ranges",
               base::demangled(ptx_.name), module_.state().info().id);
  }
  if (entry->function == all.kernel) return {entry, &whole_};
  if (module_.ranges_are_late()) return late_->code(*entry);
  const base::Lock lock(mutex_);
  auto& function = ranges_[form];
  if (!function) function = std::make_unique<DriverFunction>(module_.state(), module_.handle(), entry->name);
  return {entry, function.get()};
}

CudaFunction& own_function(const DeviceState& state, Function& function) {
  auto* const kernel = exact_cast<CudaFunction>(function);
  if (!kernel || &kernel->module().state() != &state)
    base::fail(ErrorCode::invalid_argument, "kernel '{}' was loaded on another device",
               base::demangled(function.ptx().name));
  state.check_lost();
  return *kernel;
}

CudaModule::CudaModule(Device& device, std::shared_ptr<DeviceState> state, std::shared_ptr<const ptx::Module> module,
                       const LoadOptions& options)
    : device_(device), state_(std::move(state)), module_(std::move(module)), stoppable_(options.stoppable) {
  state_->check_lost();
  if (options.ranges && !stoppable_) {
    const std::optional<std::string> refusal = ptx::find_single_kernel_refusal(*module_);
    late_ = !refusal;
    if (refusal)
      base::log_info("{}: code for parts of grids is compiled with the module: {}", state_->info().id, *refusal);
  }
  const bool together = (options.ranges && !late_) || stoppable_;
  if (!together && take(options.machine_code)) return;
  if (together) ranges_ = with_range_entries(*module_, options.ranges, stoppable_);
  const DeviceState::Current current(*state_);
  handle_ = load_ptx(*state_, ptx::print(together ? ranges_.module : *module_));
}

// Whether the driver has code for this GPU in it; where it has not, the PTX is still there.
bool CudaModule::take(std::span<const std::byte> machine_code) {
  if (machine_code.empty()) return false;
  const DeviceState::Current current(*state_);
  const Result result = state_->driver().module_load(&handle_, machine_code.data(), 0, nullptr, nullptr);
  if (result == driver::success) return true;
  base::log_info("{}: compiling PTX, since the driver refused the machine code: {}", state_->info().id,
                 state_->driver().describe(result));
  handle_ = nullptr;
  return false;
}

CudaModule::~CudaModule() {
  functions_.clear();
  if (state_->gone()) return;
  const DeviceState::Current current(*state_);
  state_->driver().module_unload(handle_);
}

Function& CudaModule::function(std::string_view name) {
  const ptx::Function* found = module_->find(name);
  if (!found || !found->is_entry || found->is_declaration) {
    std::string names;
    for (const ptx::Function& function : module_->functions)
      if (function.is_entry) append(names, function.name);
    base::fail(ErrorCode::not_found, "the module has no kernel '{}'; it has {}", name, names.empty() ? "none" : names);
  }
  const base::Lock lock(mutex_);
  auto place = functions_.find(name);
  if (place == functions_.end()) {
    const DeviceState::Current current(*state_);
    const auto index = static_cast<std::uint32_t>(found - module_->functions.data());
    place = functions_.emplace(std::string(name), std::make_unique<CudaFunction>(*this, index)).first;
  }
  return *place->second;
}

Span CudaModule::variable(std::string_view name) {
  std::string names;
  for (const ptx::Variable& variable : module_->variables) {
    if (!has_memory(variable)) continue;
    if (variable.name == name) {
      const DeviceState::Current current(*state_);
      driver::Address address = 0;
      std::size_t bytes = 0;
      state_->check(state_->driver().module_global(&address, &bytes, handle_, variable.name.c_str()),
                    "finding variable '" + variable.name + "'", ErrorCode::not_found);
      state_->spans.add(address, bytes);
      return {&device_, address, bytes};
    }
    append(names, variable.name);
  }
  base::fail(ErrorCode::not_found, "the module has no .global or .const variable '{}'; it has {}", name,
             names.empty() ? "none" : names);
}

}  // namespace heddle::device::cuda
