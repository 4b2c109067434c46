#include "random/kernel_writer.hpp"

namespace heddle::test::random_kernel {

using ptx::Type;

FunctionWriter::FunctionWriter(Setting& setting, Signature signature)
    : s_(setting), random_(setting.random), w_(setting, false), signature_(std::move(signature)) {
  w_.varying.add("p", Type::pred, 2);
  w_.varying.add("h", Type::b16, 1);
  w_.varying.add("r", Type::b32, 2 + random_.below(3));
  w_.varying.add("f", Type::f32, 2);
  w_.varying.add("d", Type::b64, 2);
  w_.varying.add("g", Type::f64, 1);
  Region table;
  table.base = "global_table";
  table.symbol = true;
  table.bytes = 1024;
  w_.regions.push_back(table);
  table.kind = Region::Kind::constant;
  table.base = "constant_table";
  table.bytes = 512;
  w_.regions.push_back(table);
  if (random_.chance(50)) {
    local_bytes_ = 32;
    table.kind = Region::Kind::local;
    table.base = "array";
    table.bytes = local_bytes_;
    table.writable = true;
    w_.regions.push_back(table);
  }
  scope_.uniform = false;
}

std::string FunctionWriter::declarations() const {
  return w_.declarations() + "  .reg .b32 %k_tx;\n" +
         (local_bytes_ ? fmt::format("  .local .align 16 .b8 array[{}];\n", local_bytes_) : "");
}

std::string FunctionWriter::head() const {
  std::string text = fmt::format(".func (.param .{} result) {}(", ptx::name(signature_.result), signature_.name);
  if (signature_.pair) return text + ".param .align 8 .b8 pair[16])\n{\n" + declarations();
  for (std::size_t i = 0; i < signature_.parameters.size(); ++i)
    text += fmt::format("{}.param .{} a{}", i > 0 ? ", " : "", ptx::name(signature_.parameters[i]), i);
  return text + ")\n{\n" + declarations();
}

Statement FunctionWriter::initial_value(const Reg& reg) {
  std::string text;
  if (reg.type == Type::pred)
    Writer::line(text, "setp.lt.u32 {}, %k_tx, {};", reg.name, random_.below(32));
  else if (reg.type == Type::f64 && random_.chance(50))
    Writer::line(text, "cvt.rn.f64.u32 {}, %k_tx;", reg.name);
  else
    Writer::line(text, "mov.{} {}, {};", ptx::name(reg.type), reg.name, w_.constant(reg.type));
  if (reg.type != Type::pred && !is_float(reg)) w_.vary(text, reg.name, reg.type);
  return Statement::lines(text);
}

// Arguments go to registers of the pool, as many as there are.
Statement FunctionWriter::parameters() {
  std::string text = "  mov.u32 %k_tx, %tid.x;\n";
  w_.make_zero(text);
  scope_.known.push_back({"%k_tx", 1023});
  if (local_bytes_) {
    for (unsigned at = 0; at < local_bytes_; at += 8)
      Writer::line(text, "st.local.b64 [array+{}], {};", at, random_.bits() >> 1);
  }
  if (signature_.pair) {
    for (unsigned i = 0; i < 2; ++i) Writer::line(text, "ld.param.b64 %d{}, [pair+{}];", i, 8 * i);
    if (random_.chance(50)) {  // one of them once more, at an address
      const std::string place = w_.temp(Type::b64), at = w_.temp(Type::b32);
      Writer::line(text, "mov.b64 {}, pair;", place);
      Writer::line(text, "and.b32 {}, %k_tx, 1;", at);
      Writer::line(text, "mad.wide.u32 {0}, {1}, 8, {0};", place, at);
      Writer::line(text, "ld.param.b64 %d1, [{}];", place);
    }
    return Statement::lines(text);
  }
  unsigned used[3] = {};
  for (std::size_t i = 0; i < signature_.parameters.size(); ++i) {
    const Type type = signature_.parameters[i];
    std::string target;
    if (i == 0 && (signature_.takes_mask || signature_.recursive)) {
      target = w_.temp(Type::b32);
      if (signature_.takes_mask)
        scope_.mask = target;
      else
        depth_ = target;
    } else if (type == Type::f64) {
      target = "%g0";
    } else {
      const unsigned kind = type == Type::f32 ? 1 : type == Type::b64 ? 2 : 0;
      target = fmt::format("%{}{}", kind == 1 ? "f" : kind == 2 ? "d" : "r", used[kind]++ % 2);
    }
    Writer::line(text, "ld.param.{} {}, [a{}];", ptx::name(type), target, i);
  }
  return Statement::lines(text);
}

// f(depth - 1, ...) among the statements, when there is depth left.
Body FunctionWriter::recursion(unsigned statements) {
  Body body = w_.body(scope_, statements);
  std::string text;
  const std::string p = w_.temp(Type::pred), less = w_.temp(Type::b32), end = s_.label("flat");
  Writer::line(text, "setp.eq.u32 {}, {}, 0;", p, depth_);
  Writer::line(text, "@{} bra {};", p, end);
  Writer::line(text, "sub.u32 {}, {}, 1;", less, depth_);
  text += w_.call_lines(scope_, signature_, signature_.name, "", "", less);
  body.push_back(Statement::lines(text + end + ":\n"));
  for (Statement& statement : w_.body(scope_, statements / 2)) body.push_back(std::move(statement));
  return body;
}

Function FunctionWriter::write(unsigned statements) {
  Function function;
  const Statement arguments = parameters();
  for (const Reg& reg : w_.varying.all()) function.body.push_back(initial_value(reg));
  function.body.insert(function.body.begin(), arguments);
  const Use use = signature_.result == Type::f32 ? Use::read_exact : Use::read;
  const auto result = [&] {
    std::string text;
    Writer::line(text, "st.param.{} [result], {};", ptx::name(signature_.result),
                 w_.varying.pick(random_, signature_.result, false, use)->name);
    return text;
  };
  if (random_.chance(30)) {  // some lanes return early, or leave the kernel
    std::string text = result();
    const std::string p = w_.condition(scope_, text, false);
    Writer::line(text, "@{} {};", p, s_.early_exit && random_.chance(50) ? "exit" : "ret");
    function.body.push_back(Statement::lines(text));
    scope_.mask.clear();
  }
  for (Statement& statement : depth_.empty() ? w_.body(scope_, statements) : recursion(statements))
    function.body.push_back(std::move(statement));
  function.body.push_back(Statement::lines(result() + "  ret;\n"));
  function.head = head();
  return function;
}

}  // namespace heddle::test::random_kernel
