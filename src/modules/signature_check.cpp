#include "modules/signature_check.hpp"

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "modules/kernel_info.hpp"
#include "modules/source_types.hpp"

namespace heddle::modules {
namespace {

using Kind = SignatureParameter::Kind;

bool is_floating(std::string_view type) { return type == "f32" || type == "f64"; }
bool is_integer(std::string_view type) { return type.size() > 1 && (type[0] == 'u' || type[0] == 's'); }
bool is_structure(std::string_view type) { return type.find('[') != type.npos; }

// Why a parameter of the PTX is not what the signature says; empty where it may be.
std::string mismatch(const Parameter& parameter, const SignatureParameter& said) {
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

std::string called(const SignatureParameter& said, std::size_t number) {
  return said.name.empty() ? fmt::format("parameter {}", number + 1)
                           : fmt::format("parameter {} ({})", number + 1, said.name);
}

}  // namespace

KernelInfo with_signature(const KernelInfo& info, const Signature& signature, const AccessOf& access_of) {
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
    const SignatureParameter& said = signature.parameters[i];
    const std::string what =
        fmt::format("{} of the signature of kernel {}, at character {},", called(said, i), info.signature, said.at);
    if (const std::string wrong = mismatch(parameter, said); !wrong.empty()) {
      base::fail(ErrorCode::invalid_argument, "{} is {}, {}; in the PTX it is {} (.{}, {}{})", what, said.type, wrong,
                 parameter.name, parameter.type, base::counted(parameter.size, "byte"),
                 parameter.pointer ? ", a pointer" : "");
    }
    if (!said.name.empty()) parameter.label = said.name;
    if (const std::string type = source_type_of(said); !type.empty()) set_source_type(parameter, source_type(type));
    parameter.direction = said.direction;
    if (said.direction != Direction::found) parameter.access = access_of(i, said.direction, what);
    if (said.kind == Kind::pointer) {
      parameter.pointer = true;
      parameter.may_be_index = false;
    }
    if (said.kind != Kind::pointer && said.kind != Kind::structure) parameter.pointer = false;
  }
  made.signature = signature_of(made);
  return made;
}

}  // namespace heddle::modules
