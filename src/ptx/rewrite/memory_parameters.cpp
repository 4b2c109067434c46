#include "ptx/rewrite/memory_parameters.hpp"

#include "ptx/decode.hpp"

namespace heddle::ptx {
namespace {

bool in_register(const std::vector<std::uint32_t>& registers, std::size_t i) {
  return i < registers.size() && registers[i] != Function::no_register;
}

Instruction access(Opcode opcode, Type type, std::uint32_t reg, SymbolRef::Kind kind, std::size_t i) {
  Instruction inst;
  inst.opcode = opcode;
  inst.modifiers.push_back(Modifier::param);
  inst.modifiers.push_back(modifier_of(type));
  inst.d.space = Space::param;
  inst.d.type = type;
  Operand value = Operand::make_reg(reg), address = Operand::make_address_symbol({kind, static_cast<std::uint32_t>(i)});
  if (opcode == Opcode::ld)
    inst.operands = {value, address, {}};
  else
    inst.operands = {address, value, {}};
  return inst;
}

std::vector<Instruction> loads(const Function& function) {
  std::vector<Instruction> result;
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    if (in_register(function.parameter_registers, i))
      result.push_back(access(Opcode::ld, function.parameters[i].type, function.parameter_registers[i],
                              SymbolRef::Kind::parameter, i));
  return result;
}

std::vector<Instruction> stores(const Function& function, const Guard& guard) {
  std::vector<Instruction> result;
  for (std::size_t i = 0; i < function.returns.size(); ++i) {
    if (!in_register(function.return_registers, i)) continue;
    result.push_back(access(Opcode::st, function.returns[i].type, function.return_registers[i],
                            SymbolRef::Kind::return_parameter, i));
    result.back().guard = guard;
  }
  return result;
}

}  // namespace

Function memory_parameters(const Function& function) {
  if (function.parameter_registers.empty() && function.return_registers.empty()) return function;
  Function result = function;
  result.body = loads(function);
  std::vector<std::uint32_t> places;  // new index of each instruction, and of the end
  for (const Instruction& inst : function.body) {
    places.push_back(static_cast<std::uint32_t>(result.body.size()));
    if (inst.opcode == Opcode::ret)
      for (Instruction& store : stores(function, inst.guard)) {
        store.where = inst.where;
        result.body.push_back(std::move(store));
      }
    result.body.push_back(inst);
  }
  places.push_back(static_cast<std::uint32_t>(result.body.size()));
  // The end of the body is a return too.
  for (Instruction& store : stores(function, {})) result.body.push_back(std::move(store));
  for (Label& label : result.labels) label.position = places[label.position];
  for (Table& table : result.tables) table.position = places[table.position];
  for (Pragma& pragma : result.pragmas) pragma.position = places[pragma.position];
  result.parameter_registers.clear();
  result.return_registers.clear();
  return result;
}

}  // namespace heddle::ptx
