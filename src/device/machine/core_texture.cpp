// Textures and surfaces: tex, tld4, txq, suld, sust, sured, suq, istypep.
#include <array>
#include <cstring>

#include "device/machine/core.hpp"
#include "device/texture_use.hpp"
#include "texture/execute.hpp"

namespace heddle::device::machine {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

// The base of the address is a register with the handle, or what the handle is stored in: a parameter, or a variable of
// type .texref or .surfref.
std::uint64_t Core::texture_handle(const Operand& object) {
  const bool in_symbol =
      (object.kind == OperandKind::address && object.base == OperandKind::symbol) || object.kind == OperandKind::symbol;
  if (!in_symbol && object.kind != OperandKind::address) return read(object, Type::b64).lo;
  if (!in_symbol) return place_of(object, Space::generic).address;
  Operand place = object;
  place.kind = OperandKind::address;
  place.base = OperandKind::symbol;
  return load(place_of(place, Space::generic), sizeof(std::uint64_t)).lo;
}

bool Core::permit_texture(std::uint64_t address, std::uint32_t bytes, AccessKind kind) {
  const Access access = kind == AccessKind::load    ? Access::read
                        : kind == AccessKind::store ? Access::write
                                                    : Access::read_write;
  note_access(resolve({Space::global, address}, bytes, access, 1), bytes, kind);
  return true;
}

void Core::access_texture() {
  const TextureUse use = texture_use(*inst_);
  std::array<std::uint64_t, texture::Operation::most_arguments> arguments{};
  for (unsigned i = 0; i < use.argument_count; ++i)
    arguments[i] = read(*use.argument_list[i].operand, use.argument_list[i].type).lo;
  const std::uint64_t handle = texture_handle(*use.object);
  const bool writes = use.operation.writes(), reduces = use.operation.kind >= texture::Kind::reduce;
  const AccessKind kind = reduces ? AccessKind::atomic : writes ? AccessKind::store : AccessKind::load;
  texture::Words words{};
  const auto permits = [&](std::uint64_t address, std::uint32_t bytes) { return permit_texture(address, bytes, kind); };
  const texture::Mistake mistake =
      texture::execute(machine_.textures, use.operation, handle, arguments.data(), words, permits);
  if (mistake != texture::Mistake::none) fault(texture::describe(mistake, handle), KernelFault::other);
  if (writes) ++memory_epoch_;
  unsigned next = 0;
  for (const Operand* result : use.results()) write(*result, use.result_type, {words[next++]});
  if (use.resident) write(*use.resident, Type::pred, {1});
}

}  // namespace heddle::device::machine
