#include "device/cuda/dependent_form.hpp"

#include <chrono>
#include <string>

#include "base/apart.hpp"
#include "base/log.hpp"
#include "heddle/error.hpp"
#include "ptx/printer.hpp"
#include "ptx/rewrite/dependent_launch.hpp"

namespace heddle::device::cuda {

DependentForm::DependentForm(const DeviceState& state, const ptx::Module& module, std::uint32_t kernel)
    : state_(state), made_(std::async(std::launch::async, [this, &module, kernel] {
        base::run_apart([&] { make(module, kernel); });
      })) {}

DependentForm::~DependentForm() {
  made_.wait();
  if (!module_ || state_.lost()) return;
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
      module_ = load_ptx(state_, ptx::print(*rewritten));
      auto function = std::make_unique<DriverFunction>(state_, module_, name);
      function->load(state_);
      function_ = std::move(function);
      return;
    }
  } catch (const Error& error) {
    why = error.what();
  }
  base::log_debug("kernel {} does not begin before what it comes behind has ended: {}", name, why);
}

}  // namespace heddle::device::cuda
