// heddle::Runtime: opens devices, compiles and loads, and hands the rest to the core.
#include <cstddef>
#include <limits>
#include <mutex>
#include <utility>

#include "base/content.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/format.hpp"
#include "base/log.hpp"
#include "base/overwrite.hpp"
#include "base/variables.hpp"
#include "compile/clang.hpp"
#include "compile/compile.hpp"
#include "core/core.hpp"
#include "core/device_info.hpp"
#include "core/node_tenant.hpp"
#include "core/tenant_state.hpp"
#include "heddle/heddle.hpp"
#include "links/measurement.hpp"
#include "ptx/parser.hpp"
#include "ptx/verifier.hpp"
#include "runtime/buffer.hpp"
#include "runtime/call.hpp"
#include "runtime/compile_text.hpp"
#include "runtime/devices.hpp"
#include "runtime/held.hpp"
#include "runtime/launch.hpp"
#include "runtime/module_state.hpp"
#include "sched/make_policy.hpp"

namespace heddle {

using runtime::held;

namespace {

compile::Compiler internal(Compiler compiler) {
  switch (compiler) {
    case Compiler::clang: return compile::Compiler::clang;
    case Compiler::nvrtc: return compile::Compiler::nvrtc;
    case Compiler::by_default: break;
  }
  return compile::Compiler::by_default;
}

compile::CompileOptions internal(const CompileOptions& options) {
  return {.defines = options.defines,
          .include_paths = options.include_paths,
          .arch = options.arch,
          .fast_math = options.fast_math,
          .opt = options.opt,
          .line_info = options.line_info,
          .extra = options.extra,
          .compiler = internal(options.compiler)};
}

// `text_name`: what messages about a line of the PTX call it.
Module make_module(const std::shared_ptr<core::Core>& core, std::string text, const std::string& name,
                   const std::string& text_name) {
  held(core, "Runtime");
  base::require_text(text, name, "PTX");
  auto parsed = std::make_shared<const ptx::Module>(ptx::parse(text, text_name));
  ptx::verify(*parsed, text_name);
  return Module(std::make_shared<runtime::ModuleState>(core, std::move(parsed), std::move(text), name));
}

}  // namespace

std::string compile_to_ptx(const std::filesystem::path& file, const CompileOptions& options) {
  return compile::compile_cuda_file(file, internal(options));
}

std::string runtime::compile_text(std::string_view source, std::string_view name, const CompileOptions& options) {
  return compile::compile_cuda(source, name, internal(options));
}

void runtime::check_compile_options(const CompileOptions& options) { compile::check_options(internal(options)); }

void check_policy(std::string_view name) { sched::make_policy(name); }

Runtime::Runtime(const RuntimeOptions& options) {
  base::check_variables();
  if (options.slice != 0 && !options.policy.empty())
    base::fail(ErrorCode::invalid_argument,
               "RuntimeOptions has slice = {} and policy = \"{}\"; a policy decides itself "
               "how launches are cut (slice:{} is one)",
               options.slice, options.policy, options.slice);
  constexpr std::uint64_t longest_ms = 1'000'000'000'000;  // nanoseconds are counted in 64 bits
  if (options.launch_timeout_ms > longest_ms)
    base::fail(ErrorCode::invalid_argument, "RuntimeOptions::launch_timeout_ms is {}; {} is the most",
               options.launch_timeout_ms, longest_ms);
  core::CoreOptions core{.check = options.check,
                         .on_finding = options.on_finding,
                         .slice = options.slice,
                         .ranges = options.ranges,
                         .scheduling = options.scheduling,
                         .policy = options.policy,
                         .memory_budget = options.memory_budget};
  if ((core.node = core::NodeTenant::of_environment(core.watcher))) {
    if (options.slice != 0)
      base::fail(ErrorCode::invalid_argument,
                 "this process is tenant '{}' (HEDDLE_TENANT), so its launches cannot be cut by slice = {}",
                 core.node->settings().name, options.slice);
    core.ranges = true;
  }
  std::vector<base::Output> outputs = base::outputs_of_devices(options.devices);
  if (!options.trace.empty()) {
    base::refuse_overwrite("the timeline", options.trace, {});
    outputs.push_back({"the timeline", options.trace});
  }
  base::refuse_same_outputs(outputs);
  if (!options.trace.empty())
    core.trace = std::make_unique<trace::Recorder>(
        options.trace, std::shared_ptr<const base::Clock>(core.watcher, &core.watcher->clock()));
  auto devices = runtime::open_devices(options.devices, {.workers = options.workers,
                                                         .check = options.check,
                                                         .on_finding = options.on_finding,
                                                         .launch_timeout_ms = options.launch_timeout_ms,
                                                         .trace = core.trace.get(),
                                                         .watcher = core.watcher});
  core_ = std::make_shared<core::Core>(std::move(devices), std::move(core));
}

void Runtime::write_trace() {
  core::Core& core = held(core_, "Runtime");
  if (core.trace()) core.trace()->save(core.idle());
}

void Runtime::trace(const std::filesystem::path& path) {
  core::Core& core = held(core_, "Runtime");
  if (!core.trace())
    base::fail(
        ErrorCode::invalid_argument,
        "the timeline {} cannot be written: this runtime records none; set RuntimeOptions::trace to a file when it "
        "is made",
        path.string());
  core.trace()->save(path, core.idle());
}

Runtime::~Runtime() {
  if (!core_) return;
  try {
    core_->synchronize();
  } catch (const Error& error) {
    base::log_error("an error that nobody asked for: {}", error.what());
  }
  try {
    if (core_->check().leak) {
      for (const std::string& text : device_heap()) {
        if (core_->on_finding())
          core_->on_finding()(text);
        else
          base::log_warn("{}", text);
      }
    }
  } catch (const std::exception& error) {
    base::log_error("{}", error.what());
  }
  // Arrays and modules may keep the core for longer.
  try {
    write_trace();
  } catch (const Error& error) {
    base::log_error("{}", error.what());
  }
}

std::vector<std::string> Runtime::device_heap() const {
  core::Core& core = held(core_, "Runtime");
  std::vector<std::string> all;
  for (std::size_t i = 0; i < core.places(); ++i)
    for (std::string& text : core.device(i).heap_blocks()) all.push_back(std::move(text));
  return all;
}

Runtime::Runtime(Runtime&&) noexcept = default;
Runtime& Runtime::operator=(Runtime&&) noexcept = default;

std::vector<DeviceInfo> Runtime::devices() const {
  std::vector<DeviceInfo> list;
  core::Core& core = held(core_, "Runtime");
  list.reserve(core.places());
  for (std::size_t i = 0; i < core.places(); ++i) list.push_back(core::public_info(core.device(i).info()));
  return list;
}

Device Runtime::device(std::string_view id) const { return {core_, static_cast<int>(held(core_, "Runtime").find(id))}; }

Device Runtime::device(int number) const {
  const std::size_t count = held(core_, "Runtime").places();
  if (number < 0 || static_cast<std::size_t>(number) >= count)
    base::fail(ErrorCode::not_found, "there is no device number {}; this runtime has {}", number,
               base::counted(count, "device"));
  return {core_, number};
}

double Runtime::measured_bandwidth(std::string_view device) const {
  core::Core& core = held(core_, "Runtime");
  return core.device(core.find(device)).measured_bandwidth();
}

namespace {

[[noreturn]] void refuse_link(std::string_view from, std::string_view to) {
  base::fail(ErrorCode::invalid_argument, "there is no link from {} to {}: both are the same memory", from, to);
}

}  // namespace

double Runtime::measured_link(std::string_view from, std::string_view to) const {
  core::Core& core = held(core_, "Runtime");
  // A device that uses the host's memory stands for that.
  const auto memory = [&](std::string_view id) {
    if (id == "host") return core.places();
    const std::size_t place = core.find(id);
    return core.device(place).info().host_memory ? core.places() : place;
  };
  const std::size_t source = memory(from), destination = memory(to);
  if (source == destination) refuse_link(from, to);
  return links::measure_link(core.devices(), source, destination);
}

double Runtime::placement_link(std::string_view from, std::string_view to) const {
  core::Core& core = held(core_, "Runtime");
  const auto memory = [&](std::string_view id) { return id == "host" ? core.places() : core.find(id); };
  const std::size_t source = memory(from), destination = memory(to);
  if (source == destination) refuse_link(from, to);
  return core.links().table().bytes_per_second(source, destination);
}

Module Runtime::compile_file(const std::filesystem::path& file, const CompileOptions& options) {
  held(core_, "Runtime");
  return make_module(core_, compile_to_ptx(file, options), file.string(), "PTX of " + file.string());
}

Module Runtime::compile(std::string_view source, std::string_view name, const CompileOptions& options) {
  held(core_, "Runtime");
  return make_module(core_, compile::compile_cuda(source, name, internal(options)), std::string(name),
                     "PTX of " + std::string(name));
}

Module Runtime::load_ptx(std::string_view text, std::string_view name) {
  return make_module(core_, std::string(text), std::string(name), std::string(name));
}

Module Runtime::load_ptx_file(const std::filesystem::path& file) {
  held(core_, "Runtime");
  return make_module(core_, base::read_file(file), file.string(), file.string());
}

Module Runtime::load_file(const std::filesystem::path& file, const CompileOptions& options) {
  const std::string ending = file.extension().string();
  if (ending == ".ptx") return load_ptx_file(file);
  if (ending == ".cu" || ending == ".cuh" || ending == ".cpp") return compile_file(file, options);
  base::fail(ErrorCode::invalid_argument, "{} is neither a .cu file (CUDA C++) nor a .ptx file", file.string());
}

Tenant Runtime::tenant(const TenantOptions& options) {
  held(core_, "Runtime");
  return Tenant(std::make_shared<core::TenantState>(core_, options));
}

Launch Runtime::launch_list(const Kernel& kernel, const LaunchOptions& options, std::span<const Argument> arguments) {
  held(core_, "Runtime");
  held(kernel.state(), "Kernel");
  return Launch(runtime::launch(*core_, kernel.state(), options, arguments));
}

Launch Runtime::call_list(const CallOptions& options, CallFunction function, std::span<const Argument> arrays) {
  held(core_, "Runtime");
  return Launch(runtime::call(core_, options, std::move(function), arrays));
}

void Runtime::call_host_list(const CallFunction& function, std::span<const Argument> arrays) {
  runtime::call_host(held(core_, "Runtime"), function, arrays);
}

std::vector<PolicyFigure> Runtime::policy_figures() const {
  core::Core& core = held(core_, "Runtime");
  std::vector<PolicyFigure> made;
  const base::Lock lock(core.mutex());
  if (const sched::Dispatcher* const dispatcher = core.dispatcher())
    for (sched::Figure& figure : dispatcher->figures()) made.push_back({std::move(figure.name), figure.value});
  return made;
}

std::vector<Occupancy> Runtime::occupancy(const Kernel& kernel, const Dim3& block, std::uint32_t shared,
                                          std::string_view device) const {
  core::Core& core = held(core_, "Runtime");
  runtime::KernelState& state = held(kernel.state(), "Kernel");
  const std::size_t place = core.find(device);
  return state.on(place).occupancy(block, shared);
}

void Runtime::synchronize() { held(core_, "Runtime").synchronize(); }

std::shared_ptr<runtime::Buffer> Runtime::make_buffer(std::size_t count, std::size_t element_bytes) {
  held(core_, "Runtime");
  std::size_t bytes = 0;
  // Sizes above are negative numbers that were taken for sizes, if not mistakes of another kind.
  if (__builtin_mul_overflow(count, element_bytes, &bytes) || bytes > std::numeric_limits<std::ptrdiff_t>::max()) {
    base::fail(ErrorCode::out_of_memory, "an array of {} of {} is larger than any memory",
               base::counted(count, "element"), base::counted(element_bytes, "byte"));
  }
  return std::make_shared<runtime::Buffer>(core_, bytes);
}

}  // namespace heddle
