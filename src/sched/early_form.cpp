#include "sched/early_form.hpp"

#include <utility>

#include "base/log.hpp"
#include "heddle/error.hpp"
#include "ptx/rewrite/await_arrival.hpp"

namespace heddle::sched {

std::unique_ptr<EarlyForm> make_early_form(device::Device& device, const ptx::Module& module, std::uint32_t kernel) {
  const std::string& name = module.functions[kernel].name;
  std::string why;
  auto rewritten = ptx::await_arrival(module, kernel, why);
  if (!rewritten) {
    base::log_debug("kernel {} has no form that starts before its arrays have arrived: {}", name, why);
    return nullptr;
  }
  auto form = std::make_unique<EarlyForm>();
  form->parameters = std::move(rewritten->parameters);
  form->flags_offset = rewritten->words_offset;
  form->parameter_bytes = rewritten->parameter_bytes;
  try {
    form->module = device.load(std::make_shared<const ptx::Module>(std::move(rewritten->module)), {.ranges = false});
    form->function = &form->module->function(name);
  } catch (const Error& error) {
    base::log_debug("kernel {} has no form that starts before its arrays have arrived: {}", name, error.what());
    return nullptr;
  }
  return form;
}

}  // namespace heddle::sched
