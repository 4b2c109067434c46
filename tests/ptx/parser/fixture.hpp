// Short ways to parse fragments in tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/error.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

namespace heddle::ptx::test {

inline std::string with_header(std::string_view text) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n" + std::string(text);
}

// A module; its text begins on line 4 of what is parsed.
inline Module module(std::string_view text) { return parse(with_header(text), "t"); }

// A kernel with some registers of every kind; its body begins on line 6.
inline std::string kernel_text(std::string_view body, std::string_view before = {}) {
  return with_header(
      std::string(before) +
      ".visible .entry k(.param .u64 p) {\n"
      ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<99>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>;\n" +
      std::string(body) + "\n}\n");
}
inline Module kernel(std::string_view body, std::string_view before = {}) {
  return parse(kernel_text(body, before), "t");
}

// What the error says, or "no error".
inline std::string error_of(std::string_view text) {
  try {
    parse(text, "t");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::parse_error);
    return error.what();
  }
  return "no error";
}

// The instructions of the last function, one a line.
inline std::string body_of(const Module& m) {
  std::string text;
  for (const Instruction& inst : m.functions.back().body) text += print(m, m.functions.back(), inst) + "\n";
  return text;
}

// Parsing what was printed gives the same.
inline void expect_stable(const Module& m) {
  const std::string text = print(m);
  EXPECT_TRUE(equal(parse(text, "printed"), m)) << text;
}

}  // namespace heddle::ptx::test
