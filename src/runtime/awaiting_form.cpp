#include "runtime/awaiting_form.hpp"

#include <utility>

#include "base/log.hpp"
#include "heddle/error.hpp"
#include "ptx/rewrite/await_arrival.hpp"

namespace heddle::runtime {

std::unique_ptr<AwaitingForm> make_awaiting_form(device::Device& device, const ptx::Module& module,
                                                 std::uint32_t kernel) {
  const std::string& name = module.functions[kernel].name;
  std::string why;
  auto rewritten = ptx::await_arrival(module, kernel, why);
  if (!rewritten) {
    base::log_debug("kernel {} does not begin before its arrays are there: {}", name, why);
    return nullptr;
  }
  auto form = std::make_unique<AwaitingForm>();
  form->parameters = std::move(rewritten->parameters);
  form->words_offset = rewritten->words_offset;
  form->parameter_bytes = rewritten->parameter_bytes;
  try {
    form->module = device.load(std::make_shared<const ptx::Module>(std::move(rewritten->module)), {.ranges = false});
    form->function = &form->module->function(name);
  } catch (const Error& error) {
    base::log_debug("kernel {} does not begin before its arrays are there: {}", name, error.what());
    return nullptr;
  }
  return form;
}

}  // namespace heddle::runtime
