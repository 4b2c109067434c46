#include "runtime/annotation.hpp"

#include "base/fail.hpp"
#include "base/kernel_name.hpp"
#include "device/fault_text.hpp"
#include "ptx/printer.hpp"
#include "runtime/kernel_state.hpp"

namespace heddle::runtime {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
  return begin == text.npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

// Lines are counted from 1.
std::string_view line_of(std::string_view text, std::uint32_t number) {
  for (std::uint32_t line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) return {};
    text.remove_prefix(end + 1);
  }
  return trimmed(text.substr(0, text.find('\n')));
}

// "'st.global.f32 [%rd4], %f1;' in line 12 of the PTX, saxpy.cu:5"
std::string quoted(const LoadedCode& module, const ptx::analysis::AccessWitness& at) {
  const ptx::Module& ptx = module.ptx();
  const ptx::Function& function = ptx.functions[at.function];
  const ptx::Instruction& inst = function.body[at.instruction];
  std::string text(line_of(module.text(), inst.where.line));
  if (inst.where.line == 0 || text.empty()) text = trimmed(ptx::print(ptx, function, inst));
  text = "'" + text + "'";
  if (inst.where.line != 0) text += fmt::format(" in line {} of the PTX", inst.where.line);
  if (!function.is_entry) text += fmt::format(", in {}", base::demangled(function.name));
  const std::string source = device::source_place(ptx, function, inst.where.loc);
  return source.empty() ? text : text + ", " + source;
}

}  // namespace

Access annotated(const KernelState& kernel, std::size_t number, Direction direction, std::string_view what) {
  const KernelState::Shown& shown = kernel.shown(number);
  const auto refuse = [&](const char* does, const ptx::analysis::AccessWitness& at, const char* advice) {
    base::fail(ErrorCode::invalid_argument, "{} is said to be '{}', but the kernel {} there: {}; {}", what,
               name(direction), does, quoted(kernel.code(), at), advice);
  };
  switch (direction) {
    case Direction::found: return shown.access;
    case Direction::inout: return Access::read_write;
    case Direction::in:
      if (shown.written_at.present()) refuse("writes", shown.written_at, "say 'inout', or nothing");
      return Access::read;  // also where the PTX shows nothing: through a pointer that another one led to
    case Direction::out:
      if (shown.read_at.present())
        refuse("reads", shown.read_at, "say 'inout', or nothing, so that it finds what was there before");
      return Access::write;
  }
  return shown.access;
}

}  // namespace heddle::runtime
