// Calls of the functions of the module.
#include "random/writer.hpp"

namespace heddle::test::random_kernel {

using ptx::Type;

// The call with its parameters. `first`: the first argument when the function needs a special one.
std::string Writer::call_lines(const Scope& scope, const Signature& signature, const std::string& target,
                               const std::string& before_call, const std::string& prototype, const std::string& first) {
  std::string text, list;
  // Results cannot be read under a guard: a branch around it all.
  const std::string skip = s_.label("skip"), guarded = first.empty() ? branch_guard(scope, 15, text) : "";
  if (!guarded.empty()) line(text, "{}bra {};", guarded, skip);
  text += "  {\n" + before_call;
  if (signature.pair) {
    line(text, ".param .align 8 .b8 both[16];");
    for (unsigned i = 0; i < 2; ++i) line(text, "st.param.b64 [both+{}], {};", 8 * i, read(scope, Type::b64));
    list = "both";
  }
  for (std::size_t i = 0; i < signature.parameters.size() && !signature.pair; ++i) {
    const Type type = signature.parameters[i];
    line(text, ".param .{} c{};", ptx::name(type), i);
    const Use use = type == Type::f32 ? Use::read_exact : Use::read;
    const std::string value = i == 0 && !first.empty() ? first : read(scope, type, use);
    line(text, "st.param.{} [c{}], {};", ptx::name(type), i, value);
    list += (i > 0 ? ", c" : "c") + std::to_string(i);
  }
  line(text, ".param .{} given;", ptx::name(signature.result));
  line(text, "call{} (given), {}, ({}){};", guarded.empty() && scope.uniform && random_.chance(50) ? ".uni" : "",
       target, list, prototype);
  const bool is_float = signature.result == Type::f32;
  line(text, "ld.param.{} {}, [given];", ptx::name(signature.result),
       write(signature.result, is_float ? Use::write : Use::write_exact));
  return text + "  }\n" + (guarded.empty() ? "" : skip + ":\n");
}

std::string Writer::call(const Scope& scope) {
  if (s_.signatures.empty() || scope.turns > 16) return arithmetic(scope, false);
  if (random_.chance(25)) return call_through_pointer(scope);
  const Signature& signature = random_.pick(s_.signatures);
  if (signature.takes_mask)
    return scope.mask.empty() ? arithmetic(scope, false)
                              : call_lines(scope, signature, signature.name, "", "", scope.mask);
  if (!signature.recursive) return call_lines(scope, signature, signature.name, "", "", "");
  std::string text;
  const std::string depth = temp(Type::b32);
  line(text, "and.b32 {}, {}, 3;", depth, read(scope, Type::b32));
  return text + call_lines(scope, signature, signature.name, "", "", depth);
}

// Two functions with the same parameters, chosen lane by lane.
std::string Writer::call_through_pointer(const Scope& scope) {
  std::vector<const Signature*> alike;
  for (const Signature& signature : s_.signatures)
    if (!signature.takes_mask && !signature.recursive && !signature.pair) alike.push_back(&signature);
  if (alike.empty()) return arithmetic(scope, false);
  const Signature& first = *random_.pick(alike);
  std::erase_if(alike, [&](const Signature* other) {
    return other->parameters != first.parameters || other->result != first.result;
  });
  const Signature& second = *random_.pick(alike);
  std::string text;
  const std::string f = temp(Type::b64), g = temp(Type::b64), chosen = temp(Type::b64);
  line(text, "mov.u64 {}, {};", f, first.name);
  line(text, "mov.u64 {}, {};", g, second.name);
  line(text, "selp.b64 {}, {}, {}, {};", chosen, f, g, read(scope, Type::pred));
  const std::string prototype = s_.label("prototype");
  std::string declaration = fmt::format("  {}: .callprototype (.param .{} _) _ (", prototype, ptx::name(first.result));
  for (std::size_t i = 0; i < first.parameters.size(); ++i)
    declaration += fmt::format("{}.param .{} _", i > 0 ? ", " : "", ptx::name(first.parameters[i]));
  return text + call_lines(scope, first, chosen, declaration + ");\n", ", " + prototype, "");
}

}  // namespace heddle::test::random_kernel
