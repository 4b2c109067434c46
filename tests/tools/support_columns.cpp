#include "tools/support_columns.hpp"

#include <memory>
#include <string>

#include "device/cpu/codegen/codegen.hpp"
#include "device/interp/interp.hpp"
#include "heddle/error.hpp"
#include "ptx/forms/sample.hpp"
#include "ptx/parser.hpp"

namespace heddle::test {
namespace {

using ptx::Form;
using ptx::Modifier;
using ptx::ModifierList;
using ptx::Opcode;

constexpr std::uint32_t block_threads = 64, shared_bytes = 16 * 1024;

// Operands that a sample cannot have: a table of labels, and a function with a body.
std::string instruction_of(const Form& form, const ModifierList& modifiers) {
  const bool uni = modifiers.has(Modifier::uni);
  if (form.opcode == Opcode::brx) return std::string("brx.idx") + (uni ? ".uni" : "") + " %r1, targets;";
  if (form.opcode == Opcode::call) return std::string("call") + (uni ? ".uni" : "") + " callee, ();";
  return ptx::sample_text(*ptx::forms_of(form.opcode).family, form, modifiers, false, false);
}

// The address windows of shared and local memory begin at 0.
bool is_in_window(const ModifierList& modifiers) {
  for (Modifier window : {Modifier::shared, Modifier::shared_cta, Modifier::shared_cluster, Modifier::local})
    if (modifiers.has(window)) return true;
  return false;
}

// A kernel of one instruction. `runnable`: its registers hold addresses of memory, so that executing it gets as far as
// the instruction goes.
std::shared_ptr<const ptx::Module> module_with(const Form& form, const ModifierList& modifiers, bool runnable) {
  std::string text = ptx::sample_prologue("9.0", "sm_100a");
  const auto replace = [&text](const std::string& what, const std::string& with) {
    if (const std::size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), with);
  };
  replace(".func vf;", ".func vf;\n.func callee { ret; }");
  replace("L:\n", "");
  text += "targets: .branchtargets L;\n.global .align 128 .b8 room[4096];\n.shared .align 128 .b8 window[4096];\n";
  if (runnable && !is_in_window(modifiers)) {
    for (int i = 1; i <= 30; ++i) {
      const std::string name = "%rd" + std::to_string(i);
      text += "mov.u64 " + name + ", room;\ncvta.global.u64 " + name + ", " + name + ";\n";
    }
  }
  text += instruction_of(form, modifiers) + "\nL:\nret;\n}\n";
  return std::make_shared<const ptx::Module>(ptx::parse(text, "sample.ptx"));
}

bool is_supported(const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const Error& error) {
    return error.code() != ErrorCode::unsupported;
  }
  return true;
}

const ptx::Function& kernel_of(const ptx::Module& module) {
  for (const ptx::Function& function : module.functions)
    if (function.is_entry) return function;
  throw Error(ErrorCode::internal, "the sample has no kernel");
}

bool runs_on_cpu(const Form& form, const ModifierList& modifiers) {
  const auto module = module_with(form, modifiers, false);
  return is_supported([&] { device::cpu::check_kernel(*module, kernel_of(*module), {.block = {block_threads}}); });
}

// Whatever else goes wrong when it is executed (a misaligned address, a trap), it is executed.
bool runs_on_interpreter(device::Device& device, const Form& form, const ModifierList& modifiers) {
  const auto module = module_with(form, modifiers, true);
  return is_supported([&] {
    const auto loaded = device.load(module, {});
    const auto queue = device.queue({});
    const std::vector<std::byte> parameters(256);
    queue->launch(loaded->function("k"), {{1}, {1}, shared_bytes, false}, {0, 1}, parameters);
    queue->synchronize();
  });
}

}  // namespace

std::vector<ptx::SupportColumn> device_columns() {
  std::shared_ptr<device::Device> interpreter = device::interp::make_interp_device({.print = [](std::string_view) {}});
  return {{"cpu", [](const Form& form, const ModifierList& modifiers,
                     const ptx::Decoded&) { return runs_on_cpu(form, modifiers); }},
          {"interp", [interpreter](const Form& form, const ModifierList& modifiers, const ptx::Decoded&) {
             return runs_on_interpreter(*interpreter, form, modifiers);
           }}};
}

}  // namespace heddle::test
