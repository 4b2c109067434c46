// What an instruction of textures and surfaces asks for, and where its arguments are.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ptx/instruction.hpp"
#include "texture/operation.hpp"

namespace heddle::device {

struct TextureUse {
  struct Argument {
    const ptx::Operand* operand = nullptr;
    ptx::Type type = ptx::Type::none;
  };
  texture::Operation operation;
  // Names the texture: an address, whose base is a register with the handle or a symbol where the handle is stored. Of
  // istypep a value.
  const ptx::Operand* object = nullptr;
  std::array<Argument, texture::Operation::most_arguments> argument_list;
  unsigned argument_count = 0;
  // What receives the results: the operands, in order, and the type of each.
  std::array<const ptx::Operand*, texture::Operation::most_results> result_list{};
  unsigned result_count = 0;
  ptx::Type result_type = ptx::Type::none;
  const ptx::Operand* resident = nullptr;  // the predicate of tex and tld4: always true
  const char* refusal = nullptr;           // why devices do not run it; null: they do

  std::span<const Argument> arguments() const { return {argument_list.data(), argument_count}; }
  std::span<const ptx::Operand* const> results() const { return {result_list.data(), result_count}; }
};

bool uses_textures(ptx::Opcode opcode);
// Of an instruction for which uses_textures() holds. It refers to the instruction's operands.
TextureUse texture_use(const ptx::Instruction& instruction);

}  // namespace heddle::device
