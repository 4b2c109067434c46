#include "device/cuda/driver_function.hpp"

#include <array>

#include "base/fail.hpp"
#include "base/kernel_name.hpp"

namespace heddle::device::cuda {

using driver::FunctionAttribute;
using driver::Result;

namespace {

constexpr std::size_t log_bytes = 16 * 1024;

ErrorCode code_of(Result result) {
  switch (result) {
    case driver::error_no_binary_for_gpu:
    case driver::error_unsupported_ptx_version:
    case driver::error_jit_compiler_not_found: return ErrorCode::unsupported;
    default: return ErrorCode::compile_error;
  }
}

}  // namespace

driver::Result compile_ptx(const Driver& driver, const std::string& text, driver::ModuleHandle& handle,
                           std::string& log) {
  log.assign(log_bytes, '\0');
  std::array options = {static_cast<int>(driver::JitOption::error_log),
                        static_cast<int>(driver::JitOption::error_log_bytes)};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log_bytes)};
  const Result result = driver.module_load(&handle, text.c_str(), options.size(), options.data(), values.data());
  log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  if (result != driver::success) handle = nullptr;
  return result;
}

driver::ModuleHandle load_ptx(const DeviceState& state, const std::string& text) {
  driver::ModuleHandle handle = nullptr;
  std::string log;
  const Result result = compile_ptx(state.driver(), text, handle, log);
  state.check(result,
              result == driver::success ? "" : fmt::format("compiling the module{}{}", log.empty() ? "" : ": ", log),
              code_of(result));
  return handle;
}

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
  state.check(result, fmt::format("allowing kernel '{}' {} bytes of shared memory", base::demangled(name_), bytes),
              ErrorCode::invalid_argument);
  std::uint32_t before = allowed_.load();
  while (before < bytes && !allowed_.compare_exchange_weak(before, bytes)) {
  }
}

void DriverFunction::load(const DeviceState& state) const {
  state.check(state.driver().function_load(handle_), "loading kernel '" + name_ + "'", ErrorCode::compile_error);
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

}  // namespace heddle::device::cuda
