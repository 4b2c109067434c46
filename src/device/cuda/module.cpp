#include "device/cuda/module.hpp"

#include <algorithm>
#include <array>

#include "base/fail.hpp"
#include "base/log.hpp"
#include "device/device.hpp"
#include "device/launch_check.hpp"
#include "device/parameter_layout.hpp"
#include "ptx/printer.hpp"

namespace heddle::device::cuda {

using driver::FunctionAttribute;
using driver::Result;

namespace {

constexpr std::size_t log_bytes = 16 * 1024;

bool has_memory(const ptx::Variable& variable) {
  return variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
}

ErrorCode code_of(Result result) {
  switch (result) {
    case driver::error_no_binary_for_gpu:
    case driver::error_unsupported_ptx_version:
    case driver::error_jit_compiler_not_found: return ErrorCode::unsupported;
    default: return ErrorCode::compile_error;
  }
}

// The prelude is for kernels that the other forms refuse; all others would be compiled in vain.
ptx::RangeModule with_ranges(const ptx::Module& module, const LoadOptions& options) {
  using Form = ptx::RangeForm;
  std::vector<Form> forms;
  if (options.ranges) forms = {Form::box, Form::linear};
  if (options.stoppable) forms.push_back(Form::pool);
  if (forms.empty()) return {module, {}, {}};
  const ptx::RangeFacts facts = ptx::find_range_facts(module);
  ptx::RangeModule ranges = ptx::add_range_entries(module, forms, facts);
  const bool refused = std::any_of(ranges.refusals.begin(), ranges.refusals.end(),
                                   [](const ptx::RangeRefusal& refusal) { return refusal.form == Form::box; });
  if (!refused) return ranges;
  forms.push_back(Form::prelude);
  ptx::RangeModule more = ptx::add_range_entries(module, forms, facts);
  const bool helps = std::any_of(ranges.refusals.begin(), ranges.refusals.end(), [&](const ptx::RangeRefusal& refusal) {
    return refusal.form == Form::box && more.find(refusal.original, Form::prelude);
  });
  return helps ? more : ranges;
}

std::uint64_t next_function_id() {
  static std::atomic<std::uint64_t> next{1};
  return next++;
}

void append(std::string& list, const std::string& name) { list += (list.empty() ? "" : ", ") + name; }

}  // namespace

DriverFunction::DriverFunction(const DeviceState& state, driver::ModuleHandle module, const std::string& name)
    : name_(name) {
  state.check(state.driver().module_function(&handle_, module, name.c_str()), "finding kernel '" + name + "'");
}

int DriverFunction::attribute(const DeviceState& state, FunctionAttribute attribute) const {
  int value = 0;
  state.check(state.driver().function_attribute(&value, static_cast<int>(attribute), handle_),
              "asking about kernel '" + name_ + "'");
  return value;
}

void DriverFunction::allow_shared(const DeviceState& state, std::uint32_t bytes) {
  if (bytes <= allowed_.load(std::memory_order_acquire)) return;
  const Result result = state.driver().function_set(
      handle_, static_cast<int>(FunctionAttribute::max_dynamic_shared_bytes), static_cast<int>(bytes));
  state.check(result, fmt::format("allowing kernel '{}' {} bytes of shared memory", name_, bytes),
              ErrorCode::invalid_argument);
  std::uint32_t before = allowed_.load();
  while (before < bytes && !allowed_.compare_exchange_weak(before, bytes)) {
  }
}

void DriverFunction::load(const DeviceState& state) const {
  state.check(state.driver().function_load(handle_), "loading kernel '" + name_ + "'", ErrorCode::compile_error);
}

CudaFunction::CudaFunction(CudaModule& module, std::uint32_t index)
    : module_(module),
      ptx_(module.ptx().functions[index]),
      index_(index),
      id_(next_function_id()),
      parameters_(parameter_layout(ptx_.parameters)),
      parameter_bytes_(device::parameter_bytes(ptx_.parameters)),
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

Occupancy DriverFunction::occupancy(const DeviceState& state, std::string form, std::uint64_t threads,
                                    std::uint32_t dynamic_shared) {
  allow_shared(state, dynamic_shared);
  const auto ask = [&](FunctionAttribute what) { return static_cast<unsigned>(attribute(state, what)); };
  Occupancy made{.form = std::move(form),
                 .registers = ask(FunctionAttribute::registers),
                 .local_bytes = ask(FunctionAttribute::local_bytes),
                 .shared_bytes = ask(FunctionAttribute::static_shared_bytes) + std::uint64_t{dynamic_shared},
                 .blocks = static_cast<unsigned>(resident_blocks(state, threads, dynamic_shared))};
  made.share = static_cast<double>(made.blocks * threads) / state.max_resident_threads();
  return made;
}

std::vector<Occupancy> CudaFunction::occupancy(const Dim3& block, std::uint32_t dynamic_shared_bytes) {
  const DeviceState& state = module_.state();
  check_launch(state.info(), *this, {.block = block, .dynamic_shared_bytes = dynamic_shared_bytes}, {0, 1},
               parameter_bytes_);
  const DeviceState::Current current(state);
  std::vector<Occupancy> all{whole_.occupancy(state, "whole grid", block.count(), dynamic_shared_bytes)};
  for (const ptx::RangeEntry& entry : module_.ranges().entries) {
    if (entry.original != index_) continue;
    all.push_back(range(entry.form)
                      .function->occupancy(state, fmt::format("range ({})", ptx::name(entry.form)), block.count(),
                                           dynamic_shared_bytes));
  }
  return all;
}

bool CudaFunction::has(ptx::RangeForm form) const { return module_.ranges().find(index_, form) != nullptr; }

CudaFunction::Range CudaFunction::range(ptx::RangeForm form) {
  const ptx::RangeModule& ranges = module_.ranges();
  const ptx::RangeEntry* entry = ranges.find(index_, form);
  if (!entry) {
    for (const ptx::RangeRefusal& refusal : ranges.refusals)
      if (refusal.original == index_ && refusal.form == form)
        base::fail(ErrorCode::unsupported, "kernel '{}' cannot run a part of its grid on {}: {}", ptx_.name,
                   module_.state().info().id, refusal.reason);
    base::fail(ErrorCode::unsupported,
               "kernel '{}' cannot run a part of its grid on {}: its module was loaded without LoadOptions::ranges",
               ptx_.name, module_.state().info().id);
  }
  if (entry->function == index_) return {entry, &whole_};
  const std::lock_guard lock(mutex_);
  auto& function = ranges_[form];
  if (!function) function = std::make_unique<DriverFunction>(module_.state(), module_.handle(), entry->name);
  return {entry, function.get()};
}

std::uint64_t DriverFunction::resident_blocks(const DeviceState& state, std::uint64_t threads,
                                              std::uint32_t dynamic_shared) const {
  const std::uint64_t question = threads << 40 | std::uint64_t{dynamic_shared} << 8;  // at most 1024 and 227 KiB
  const std::uint64_t known = resident_.load(std::memory_order_relaxed);
  if (known >> 8 == question >> 8) return known & 0xff;
  int blocks = 0;
  state.check(state.driver().occupancy(&blocks, handle_, static_cast<int>(threads), dynamic_shared),
              "asking for the occupancy of kernel '" + name_ + "'");
  resident_.store(question | static_cast<std::uint64_t>(blocks), std::memory_order_relaxed);
  return static_cast<std::uint64_t>(blocks);
}

CudaModule::CudaModule(Device& device, std::shared_ptr<DeviceState> state, std::shared_ptr<const ptx::Module> module,
                       const LoadOptions& options)
    : device_(device),
      state_(std::move(state)),
      module_(std::move(module)),
      stoppable_(options.stoppable),
      ranges_(with_ranges(*module_, options)) {
  state_->check_lost();
  if (!options.ranges && !options.stoppable && take(options.machine_code)) return;
  compile();
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
  if (state_->lost()) return;
  const DeviceState::Current current(*state_);
  state_->driver().module_unload(handle_);
}

void CudaModule::compile() {
  const DeviceState::Current current(*state_);
  const std::string text = ptx::print(ranges_.module);
  std::string log(log_bytes, '\0');
  std::array options = {static_cast<int>(driver::JitOption::error_log),
                        static_cast<int>(driver::JitOption::error_log_bytes)};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log_bytes)};
  const Result result =
      state_->driver().module_load(&handle_, text.c_str(), options.size(), options.data(), values.data());
  if (result == driver::success) return;
  log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  state_->check(result, fmt::format("compiling the module{}{}", log.empty() ? "" : ": ", log), code_of(result));
}

Function& CudaModule::function(std::string_view name) {
  const ptx::Function* found = module_->find(name);
  if (!found || !found->is_entry || found->is_declaration) {
    std::string names;
    for (const ptx::Function& function : module_->functions)
      if (function.is_entry) append(names, function.name);
    base::fail(ErrorCode::not_found, "the module has no kernel '{}'; it has {}", name, names.empty() ? "none" : names);
  }
  const std::lock_guard lock(mutex_);
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
