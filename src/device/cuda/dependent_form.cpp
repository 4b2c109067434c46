#include "device/cuda/dependent_form.hpp"

#include <chrono>
#include <string>
#include <system_error>
#include <utility>

#include "base/dedicated_thread.hpp"
#include "base/log.hpp"
#include "heddle/error.hpp"
#include "ptx/printer.hpp"
#include "ptx/rewrite/dependent_launch.hpp"

namespace heddle::device::cuda {
namespace {

// Where no thread can be had for it nothing is done.
template <class Work>
std::future<void> in_background(Work work) {
  try {
    return std::async(std::launch::async, std::move(work));
  } catch (const std::system_error& error) {
    base::log_debug("kernels are not compiled for chains of launches: {}", error.what());
    std::promise<void> over;
    over.set_value();
    return over.get_future();
  }
}

}  // namespace

DependentForm::DependentForm(const DeviceState& state, const ptx::Module& module, std::uint32_t kernel)
    : state_(state),
      made_(in_background([this, &module, kernel] { base::run_on_dedicated_thread([&] { make(module, kernel); }); })) {}

DependentForm::~DependentForm() {
  made_.wait();
  if (!module_ || state_.gone()) return;
  const DeviceState::Current current(state_);
  state_.driver().module_unload(module_);
}

bool DependentForm::decided() const { return made_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

void DependentForm::make(const ptx::Module& module, std::uint32_t kernel) {
  const std::string& name = module.functions[kernel].name;
  std::string why;
  try {
    if (const auto rewritten = ptx::allow_dependent_launch(module, kernel, why)) {
      const DeviceState::Current current(state_);
      const driver::Result result = load(ptx::print(*rewritten), name, why);
      if (result == driver::success) return;
      why = state_.driver().describe(result) + (why.empty() ? "" : ": ") + why;
    }
  } catch (const Error& error) {
    why = error.what();
  }
  base::log_debug("kernel {} does not begin before what it comes behind has ended: {}", name, why);
}

// A kernel that runs meanwhile may fault. Who waits for it is to be told, so nothing is checked here that would say so.
driver::Result DependentForm::load(const std::string& text, const std::string& name, std::string& log) {
  const Driver& cuda = state_.driver();
  driver::FunctionHandle function = nullptr;
  int threads = 0;
  driver::Result result = compile_ptx(cuda, text, module_, log);
  if (result == driver::success) result = cuda.module_function(&function, module_, name.c_str());
  if (result == driver::success) result = cuda.function_load(function);
  const auto limit = static_cast<int>(driver::FunctionAttribute::max_threads_per_block);
  if (result == driver::success) result = cuda.function_attribute(&threads, limit, function);
  if (result != driver::success) return result;
  function_ = std::make_unique<DriverFunction>(function, name);
  most_threads_ = static_cast<std::uint64_t>(threads);
  return result;
}

}  // namespace heddle::device::cuda
