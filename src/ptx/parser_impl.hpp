// The parser's state and its rules, one source file for each subject. Private to src/ptx/parser*.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/constant.hpp"
#include "ptx/directive.hpp"
#include "ptx/function_names.hpp"
#include "ptx/ir.hpp"
#include "ptx/lexer.hpp"
#include "ptx/resolve.hpp"

namespace heddle::ptx {

class Parser {
 public:
  Parser(std::string_view text, std::string_view file_name);
  Module run();

 private:
  // What a variable declaration allows where it stands.
  struct VariableContext {
    Space space = Space::global;
    Linkage linkage = Linkage::internal;
    bool in_function = false;
  };

  // parser.cpp: tokens and errors
  void advance() { lexer_.next(token_); }
  bool is(TokenKind kind) const { return token_.kind == kind; }
  bool is_word(std::string_view text) const { return token_.kind == TokenKind::word && token_.text == text; }
  bool accept(TokenKind kind);
  void expect(TokenKind kind);
  std::string_view expect_identifier(std::string_view what);
  std::string_view expect_string(std::string_view what);
  [[noreturn]] void fail(std::string_view expected) const { fail_at(token_, expected); }
  [[noreturn]] void fail_at(const Token& token, std::string_view expected) const;
  [[noreturn]] void fail_at(std::uint32_t line, std::uint32_t column, std::string_view found,
                            std::string_view expected) const;
  [[noreturn]] void throw_error(std::uint32_t line, std::uint32_t column, std::string_view found,
                                std::string_view expected) const;

  // parser.cpp: module level
  void module_statement();
  void version_directive();
  void target_directive();
  void file_directive();
  void section_directive();
  void alias_directive();
  void linkage_statement();
  std::vector<std::string> pragma_strings();

  // parser_expression.cpp: constants
  Constant constant();           // a whole constant expression
  Constant constant_sum_term();  // without + and - at its top, for address offsets
  std::uint64_t unsigned_constant(std::uint64_t limit, std::string_view what);
  Constant binary(int minimum_precedence);
  Constant unary();
  Constant primary();
  Constant parenthesised();

  // parser_variable.cpp: variables and initialisers
  void variable_statement(const VariableContext& context);
  Variable variable_prefix(const VariableContext& context);
  void variable_rest(Variable variable, const VariableContext& context);
  void variable_range(const Variable& variable, const VariableContext& context, const Token& name);
  void add_variable(Variable&& variable, const VariableContext& context, const Token& name);
  void variable_attributes(bool& managed, std::optional<std::array<std::uint64_t, 2>>& unified);
  std::uint32_t alignment();
  void dimensions(Variable& variable);
  void check_size(const Variable& variable, const Token& name) const;
  void initialiser(Variable& variable);
  void initialiser_list(Variable& variable, const std::vector<std::uint64_t>& dims, std::size_t level,
                        std::uint64_t base);
  void opaque_initialiser(Variable& variable);
  void pad_initialiser(Variable& variable, std::uint64_t size);
  InitValue init_value(const Variable& variable);
  InitValue init_symbol();
  std::int64_t symbol_offset();

  // parser_function.cpp: headers, prototypes, directives
  void function(Linkage linkage, bool is_entry);
  void parameter_list(std::vector<Variable>& list, std::vector<std::uint32_t>* registers, NameKind kind);
  Variable parameter();
  void pointer_attributes(Variable& variable);
  void register_parameter(Variable&& variable, const Token& name, std::vector<Variable>& list,
                          std::vector<std::uint32_t>& registers);
  void function_directives();
  bool performance_directive(std::vector<FunctionDirective>& list);
  void merge_function(std::uint32_t index, const Token& name);
  void begin_function();

  // parser_statement.cpp: bodies
  void body();
  void function_directive_statement();
  void register_statement();
  void loc_directive();
  void inlined_at(Loc& loc);
  void label_or_instruction();
  void label_definition(const Token& name);
  void table_statement(const Token& name);
  void table_targets(Table& table);
  void call_prototype(Table& table);
  void instruction();
  void guard(Guard& guard);
  void modifiers(Instruction& inst);
  void operand_list(Instruction& inst);
  void fix_labels();

  // parser_operand.cpp
  void operand(Operand& result);
  void name_operand(Operand& result);
  void register_operand(Operand& result, std::uint32_t index);
  void vector_register_operand(Operand& result, std::uint32_t index);
  void symbol_operand(Operand& result, SymbolRef symbol);
  void special_or_label_operand(Operand& result, const Token& name);
  bool special_operand(Operand& result, const Token& name);
  void negated_operand(Operand& result);
  void element_operand(Operand& result);
  void vector_operand(Operand& result, TokenKind close);
  void address_operand(Operand& result);
  void address_base(Operand& result);
  void constant_operand(Operand& result);
  Type element_type(SymbolRef symbol) const;

  // parser_lower.cpp: notations that the IR does not have
  void unwrap_scalars(const Instruction& inst);
  bool is_vector_move(const Instruction& inst) const;
  void vector_move();
  void add_register_offsets();
  void append(const Instruction& shape, std::initializer_list<Operand> operands);
  std::uint32_t temporary(Type type);
  void reorder_registers();

  // parser.cpp: names
  void declare(const Token& name, NameKind kind, std::uint32_t index);
  std::uint32_t label(const Token& name);
  void rename_clashes();

  Lexer lexer_;
  std::string_view file_name_;
  Token token_;
  Module module_;
  NameTable module_names_;
  std::deque<std::string> made_names_;  // variables that are not in the text as such: x0, x1 of x<2>
  bool has_address_size_ = false;
  std::uint64_t padded_ = 0;  // zeros put into initialisers so far
  unsigned nesting_ = 0;      // of parentheses in a constant

  // Of the function being parsed.
  Function function_;
  bool first_mention_ = false;  // it was not declared before
  FunctionNames names_;
  std::vector<std::uint32_t> label_users_;  // instructions
  std::vector<WrittenOperand> written_;
  std::uint32_t current_loc_ = 0;   // number of the last .loc in Function::locs, from 1
  Opcode opcode_ = Opcode::count_;  // of the instruction being parsed
  bool has_register_offset_ = false;
  bool reorder_registers_ = false;  // something was rewritten
};

}  // namespace heddle::ptx
