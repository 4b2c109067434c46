// Names of one function while it is parsed: what each name stands for in the nested { } scopes of the text, and unique
// names for the flattened function.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/name_lookup.hpp"

namespace heddle::ptx {

enum class NameKind : std::uint8_t {
  none,
  reg,         // index: Function::registers
  lazy_reg,    // index: the parser's declared registers; becomes reg when it is first used
  vector_reg,  // index: the parser's vector registers
  module_variable,
  function,
  local_variable,
  parameter,
  return_parameter,
  label,  // index: the parser's labels
  table,
};

struct Binding {
  NameKind kind = NameKind::none;
  std::uint32_t depth = 0;  // of the scope that declares it; 0 is the module
  std::uint32_t index = 0;
};

// Names, with their hash_text(), to bindings by open addressing; emptied in constant time. Names are views and must
// outlive their entries.
class NameTable {
 public:
  NameTable();
  // The binding of `name`, or nullptr.
  Binding* find(std::string_view name, std::uint32_t hash);
  // The binding of `name`, a new one of kind none where the name has none. Valid until the next insert.
  Binding& insert(std::string_view name, std::uint32_t hash);
  void clear();

 private:
  struct Slot {
    std::string_view name;
    std::uint32_t hash = 0;
    std::uint32_t generation = 0;  // in use when it is the table's
    Binding binding;
  };
  Slot& slot(std::string_view name, std::uint32_t hash);
  void grow();

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::uint32_t generation_ = 1;
};

// A NameTable with nested scopes: a name declared in an inner scope hides the outer one until the scope is closed.
class ScopedNames {
 public:
  void clear();  // no scope open
  void open();
  void close();
  std::uint32_t depth() const { return depth_; }

  // nullptr: unknown. The pointer holds until the next bind.
  Binding* find(std::string_view name, std::uint32_t hash);
  // Binds in the innermost scope, or in the scope of `depth`, which must not be hidden by a deeper one.
  void bind(std::string_view name, std::uint32_t hash, NameKind kind, std::uint32_t index);
  void bind_at(std::uint32_t depth, std::string_view name, std::uint32_t hash, NameKind kind, std::uint32_t index);

 private:
  struct Undo {
    std::string_view name;
    std::uint32_t hash;
    Binding old;
  };
  NameTable table_;
  std::vector<std::vector<Undo>> undo_;  // one for each scope that was ever open; entry 0 is depth 1
  std::uint32_t depth_ = 0;
};

// Names given out in the flattened function: each only once.
class UniqueNames {
 public:
  void clear();
  // `wanted`, or wanted_1, wanted_2, ... when that is taken. The view holds until clear().
  std::string_view take(std::string_view wanted, std::uint32_t hash);
  bool contains(std::string_view name, std::uint32_t hash) { return taken_.find(name, hash) != nullptr; }
  // Whether some name had to be changed.
  bool has_made_names() const { return !made_.empty(); }

 private:
  NameTable taken_;  // Binding::index: the next suffix to try
  std::deque<std::string> made_;
};

}  // namespace heddle::ptx
