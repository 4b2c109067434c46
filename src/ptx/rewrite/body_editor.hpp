// Puts instructions between those of a function.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/decode.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx {

// A part of names ("heddle_") that no name of the module contains: what is called by it clashes with nothing.
std::string unused_stem(const Module& module);

// Writes the body of a function anew, from the first instruction to the last: between begin() calls, one for each
// instruction of the old body in order, the caller emits what shall stand there. Labels, tables and pragmas of the old
// body go where begin() is called for the instruction they stood before; finish() puts the function together. Register
// and label indices of the old body keep their meaning until then.
class BodyEditor {
 public:
  // `stem` as of unused_stem(). The function must outlive the editor.
  BodyEditor(Function& function, std::string_view stem);

  std::size_t size() const { return old_.size(); }  // of the old body
  Instruction take(std::size_t index) { return std::move(old_[index]); }
  // Whether the old body can run on past its last instruction.
  bool reaches_end() const;
  // What follows is instead of old instruction `index`; labels there lead to it. Emitted code gets its place in the
  // text. The end of the body counts as an instruction.
  void begin(std::size_t index);
  void emit(Instruction inst);
  // One that takes the place of the text given to begin().
  void emit(Opcode opcode, std::initializer_list<Modifier> modifiers, std::vector<Operand> operands);
  // The same, run where the predicate register holds `wanted`.
  void emit_if(std::uint32_t predicate, bool wanted, Instruction inst);

  std::uint32_t add_register(Type type);
  // Emits an instruction whose first operand is a new register of this type, followed by `sources`; gives the register.
  std::uint32_t compute(Type type, Opcode opcode, std::initializer_list<Modifier> modifiers,
                        std::vector<Operand> sources);
  // The 32 bits of a special register in a new one.
  std::uint32_t read(SpecialRegister special);
  // A label to be put in place once.
  std::uint32_t add_label();
  void place(std::uint32_t label);
  void add_pragma(std::string text);

  void finish();

 private:
  void sort_labels();

  Function& function_;
  std::string stem_;
  std::vector<Instruction> old_, new_;
  std::vector<std::uint32_t> places_;      // where each old instruction has begun
  std::vector<std::uint32_t> new_labels_;  // places of added labels, which come after the old ones
  std::vector<Pragma> new_pragmas_;
  std::size_t old_labels_ = 0;
  std::uint32_t names_ = 0;
  SourceLocation where_;
};

}  // namespace heddle::ptx
