#include "runtime/annotation.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "device/fault_text.hpp"
#include "modules/source_types.hpp"
#include "ptx/printer.hpp"
#include "runtime/inspect.hpp"
#include "runtime/kernel_state.hpp"

namespace heddle::runtime {
namespace {

using Kind = modules::SignatureParameter::Kind;

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

bool is_floating(std::string_view type) { return type == "f32" || type == "f64"; }
bool is_integer(std::string_view type) { return type.size() > 1 && (type[0] == 'u' || type[0] == 's'); }
bool is_structure(std::string_view type) { return type.find('[') != type.npos; }

// Why a parameter of the PTX is not what the signature says; empty where it may be.
std::string mismatch(const Parameter& parameter, const modules::SignatureParameter& said) {
  if (said.bytes != parameter.size) return fmt::format("which has {}", base::counted(said.bytes, "byte"));
  if (said.kind == Kind::pointer) {
    return is_floating(parameter.type) || is_structure(parameter.type) ? "a pointer" : "";
  }
  if (said.kind == Kind::structure) return is_structure(parameter.type) ? "" : "a structure";
  if (parameter.pointer && !parameter.may_be_index) return "a number";
  if (is_structure(parameter.type)) return "a number";
  if (said.kind == Kind::floating) return is_integer(parameter.type) ? "a floating-point number" : "";
  return is_floating(parameter.type) ? "an integer" : "";
}

std::string called(const modules::SignatureParameter& said, std::size_t number) {
  return said.name.empty() ? fmt::format("parameter {}", number + 1)
                           : fmt::format("parameter {} ({})", number + 1, said.name);
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

KernelInfo annotated(const KernelState& kernel, const KernelInfo& info, const modules::Signature& signature) {
  if (!signature.kernel.empty() && signature.kernel != info.name &&
      !base::source_name_matches(info.name, signature.kernel)) {
    base::fail(ErrorCode::invalid_argument, "the signature is that of a kernel '{}', and the kernel's name is {}",
               signature.kernel, info.signature);
  }
  if (signature.parameters.size() != info.parameters.size()) {
    base::fail(ErrorCode::invalid_argument, "the signature of kernel {} has {}, and in the PTX there {} {}",
               info.signature, base::counted(signature.parameters.size(), "parameter"),
               info.parameters.size() == 1 ? "is" : "are", info.parameters.size());
  }
  KernelInfo made = info;
  for (std::size_t i = 0; i < made.parameters.size(); ++i) {
    Parameter& parameter = made.parameters[i];
    const modules::SignatureParameter& said = signature.parameters[i];
    const std::string what =
        fmt::format("{} of the signature of kernel {}, at character {},", called(said, i), info.signature, said.at);
    if (const std::string wrong = mismatch(parameter, said); !wrong.empty()) {
      base::fail(ErrorCode::invalid_argument, "{} is {}, {}; in the PTX it is {} (.{}, {}{})", what, said.type, wrong,
                 parameter.name, parameter.type, base::counted(parameter.size, "byte"),
                 parameter.pointer ? ", a pointer" : "");
    }
    if (!said.name.empty()) parameter.label = said.name;
    if (const std::string type = modules::source_type_of(said); !type.empty())
      set_source_type(parameter, modules::source_type(type));
    parameter.direction = said.direction;
    if (said.direction != Direction::found) parameter.access = annotated(kernel, i, said.direction, what);
    if (said.kind == Kind::pointer) {
      parameter.pointer = true;
      parameter.may_be_index = false;
    }
    if (said.kind != Kind::pointer && said.kind != Kind::structure) parameter.pointer = false;
  }
  made.signature = signature_of(made);
  return made;
}

}  // namespace heddle::runtime
