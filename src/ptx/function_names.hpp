// What the names in a function stand for while it is parsed: registers, which are made when they are first used,
// labels, which may be used before they are defined, variables, parameters and tables, in nested scopes that the IR
// flattens.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ir.hpp"
#include "ptx/scope.hpp"

namespace heddle::ptx {

class FunctionNames {
 public:
  // `module_names` hold the names around the function; `text_size` bounds the memory for numbered registers.
  FunctionNames(NameTable& module_names, std::size_t text_size) : module_names_(module_names), text_size_(text_size) {}

  // Starts on a new function, which gets the registers and labels, with its outermost scope (depth 1) open.
  void begin(Function& function);
  void open();
  void close();
  std::uint32_t depth() const { return names_.depth(); }

  struct Found {
    NameKind kind = NameKind::none;
    std::uint32_t index = 0;
  };
  // Makes the register when the name is that of one. Labels are found only when nothing else has the name.
  Found find(std::string_view name);

  // Declarations in the innermost scope. False: the scope has that name already. Names are views into the text, or into
  // what keep() returns.
  bool declare(std::string_view name, NameKind kind, std::uint32_t index);
  bool declare_register(std::string_view name, Type type);
  bool declare_vector(std::string_view name, Type type, std::uint8_t width);
  bool declare_range(std::string_view name, Type type, std::uint8_t width, std::uint64_t count);  // name<count>
  std::string_view keep(std::string name) { return kept_.emplace_back(std::move(name)); }

  // A new register that is bound to no name; called `wanted`, or like it.
  std::uint32_t make_register(std::string_view wanted, Type type);
  // Vector registers, by the index that find() gives; component i of v is the scalar register v_x, v_y, ...
  std::uint32_t last_vector() const { return static_cast<std::uint32_t>(vectors_.size() - 1); }
  std::uint8_t width(std::uint32_t vector) const { return vectors_[vector].width; }
  std::uint32_t component(std::uint32_t vector, unsigned i);

  // `wanted`, or a name like it that nothing else in the flattened function has, nor a special register.
  std::string_view unique(std::string_view wanted);

  struct Label {
    std::string_view name;
    std::uint32_t line = 0, column = 0;  // first mention
    bool defined = false;
    std::uint32_t target = 0;  // defined: index in Function::labels; otherwise, once its scope is closed, the label of
                               // the same name in the scope around it
  };
  static constexpr std::uint32_t no_label = 0xFFFFFFFF;
  // The provisional number of a label as the innermost scope sees it; no_label when the scope has the name for
  // something else. It may be defined there later, or in a scope around it.
  std::uint32_t label(std::string_view name, std::uint32_t line, std::uint32_t column);
  // Defines it before the next instruction; false when it is defined already.
  bool define_label(std::uint32_t label);
  // After the body: a label that is nowhere defined, or null; and the index in Function::labels of any other.
  const Label* undefined_label() const;
  std::uint32_t resolved(std::uint32_t label);

 private:
  static constexpr std::uint32_t no_range = 0xFFFFFFFF;
  struct Single {
    Type type = Type::none;
  };
  struct Range {
    Type type = Type::none;
    std::uint8_t width = 1;
    std::uint64_t count = 0;
    std::uint32_t depth = 0;          // of the scope that declares it
    std::uint32_t hidden = no_range;  // the range of an outer scope with the same prefix
    bool may_be_special = false;      // some of its names may be those of special registers
    std::vector<std::uint32_t> made;  // the registers that are used, by number, while quick_
  };
  struct Vector {
    std::string_view name;
    Type type = Type::none;
    std::uint8_t width = 1;
    std::uint32_t registers[4] = {Function::no_register, Function::no_register, Function::no_register,
                                  Function::no_register};
  };

  bool find_quickly(std::string_view name, Found& found);
  void end_quick();
  void see(std::string_view name);
  Binding* find_in_range(std::string_view name, std::uint32_t hash, std::uint32_t minimum_depth);
  void bind_numbered(std::string_view name, std::uint32_t hash, std::string_view prefix, std::uint64_t number,
                     std::uint32_t range);

  NameTable& module_names_;
  std::size_t text_size_;
  Function* function_ = nullptr;
  ScopedNames names_;
  ScopedNames range_names_;  // prefixes; index: ranges_
  UniqueNames unique_;
  std::vector<Single> singles_;
  std::vector<Range> ranges_;
  std::vector<Vector> vectors_;
  std::vector<Label> labels_;
  std::vector<std::vector<std::uint32_t>> scope_labels_;  // by depth, from 1
  std::deque<std::string> kept_;
  bool nested_ranges_ = false;    // a range is declared in an inner scope: look for the innermost
  bool quick_ = true;             // numbered registers can be found by their number alone
  std::size_t quick_budget_ = 0;  // how many numbers may still be counted so: bounds memory when they are large
};

}  // namespace heddle::ptx
