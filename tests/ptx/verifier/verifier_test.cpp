// Files with mistakes, and what the verifier says about each: lines of the form
//   // error: 12: message      // warning: 12: message
// in the order of the findings; a file without any is right. Set HEDDLE_UPDATE to write what the verifier says now.
#include "ptx/verifier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "heddle/error.hpp"
#include "ptx/decode.hpp"
#include "ptx/parser.hpp"
#include "support/places.hpp"

namespace heddle::ptx {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool is_directive(const std::string& line) {
  return line.starts_with("// error: ") || line.starts_with("// warning: ");
}

std::vector<std::string> lines_of(const std::string& text, bool directives) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (is_directive(line) == directives) lines.push_back(line);
  return lines;
}

// The directives stand at the end, so that they do not move the lines they speak of.
std::vector<std::string> findings_of(const std::string& text, const std::string& name) {
  std::vector<std::string> lines;
  for (const Finding& finding : find_problems(parse(text, name)))
    lines.push_back(std::string("// ") + (finding.severity == Finding::Severity::error ? "error: " : "warning: ") +
                    std::to_string(finding.line) + ": " + finding.message);
  return lines;
}

void update(const fs::path& path, const std::string& text, const std::vector<std::string>& findings) {
  std::ofstream out(path, std::ios::binary);
  for (const std::string& line : lines_of(text, false)) out << line << '\n';
  for (const std::string& line : findings) out << line << '\n';
}

std::vector<fs::path> cases() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(tests::test_data() / "ptx/verifier"))
    if (entry.path().extension() == ".ptx") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

class VerifierFile : public testing::TestWithParam<fs::path> {};

TEST_P(VerifierFile, finds_the_mistakes) {
  const std::string text = read(GetParam());
  const std::vector<std::string> found = findings_of(text, GetParam().filename().string());
  if (std::getenv("HEDDLE_UPDATE")) return update(GetParam(), text, found);
  EXPECT_EQ(found, lines_of(text, true));
}

INSTANTIATE_TEST_SUITE_P(Verifier, VerifierFile, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.stem().string(); });

TEST(Verifier, throws_the_first_error_with_its_place) {
  const Module module = parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<3>; .reg .f32 %f<3>;\n"
      "  add.u32 %r1, %r2, %f1;\nret;\n}\n",
      "k.ptx");
  try {
    verify(module, "k.ptx");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::parse_error);
    EXPECT_STREQ(
        error.what(),
        "k.ptx:6:3: Operand b of add.u32 is %f1, a .f32 register; expected a 32-bit integer or untyped register.");
  }
}

TEST(Verifier, warnings_do_not_throw) {
  const Module module = parse(
      ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<3>;\n"
      "redux.sync.add.s32 %r1, %r2, -1;\nret;\n}\n",
      "k.ptx");
  EXPECT_EQ(find_problems(module).size(), 1u);
  EXPECT_NO_THROW(verify(module));
}

// Modules that no parser makes: indices out of range, instructions without form.
Module small_module() {
  return parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.global .b32 g;\n.visible .entry k() {\n.reg .b32 %r<3>; .reg "
      ".b64 %rd<3>;\n"
      ".reg .pred %p<2>;\n@%p1 add.u32 %r1, %r2, 5;\nld.global.u32 %r1, [g];\nmov.u64 %rd1, g;\nL: bra L;\n"
      "T: .branchtargets L;\nP: .callprototype _ ();\nbrx.idx %r1, T;\ncall %rd1, (), P;\nret;\n}\n",
      "small");
}

TEST(Verifier, small_module_is_right) { EXPECT_TRUE(find_problems(small_module()).empty()); }

TEST(Verifier, indices_out_of_range_are_found) {
  const auto broken = [](auto change) {
    Module module = small_module();
    change(module.functions[0]);
    return find_problems(module).size();
  };
  EXPECT_GE(broken([](Function& f) { f.body[0].guard.reg = 1000; }), 1u);
  EXPECT_GE(broken([](Function& f) { f.body[0].guard.reg = f.body[0].operands[0].index; }), 1u);  // no predicate
  EXPECT_GE(broken([](Function& f) { f.body[0].operands[0].index = 1000; }), 1u);
  EXPECT_GE(broken([](Function& f) { f.body[1].operands[1].symbol.index = 1000; }), 1u);
  EXPECT_GE(broken([](Function& f) { f.body[2].operands[1].symbol.index = 1000; }), 1u);
  EXPECT_GE(broken([](Function& f) { f.body[3].operands[0].index = 1000; }), 1u);
  EXPECT_GE(broken([](Function& f) { f.body[4].operands[1].index = 1000; }), 1u);
  EXPECT_GE(broken([](Function& f) { f.body[5].operands[3].index = 1000; }), 1u);
  EXPECT_GE(broken([](Function& f) { f.labels[0].position = 1000; }), 1u);
  EXPECT_GE(broken([](Function& f) { f.tables[0].targets[0] = 1000; }), 1u);
}

TEST(Verifier, what_belongs_to_the_module_is_checked) {
  const auto broken = [](auto change) {
    Module module = small_module();
    change(module);
    return find_problems(module).size();
  };
  EXPECT_EQ(broken([](Module& m) { m.variables.push_back(m.variables[0]); }), 1u);
  EXPECT_EQ(broken([](Module& m) { m.functions[0].name = "g"; }), 1u);
  EXPECT_EQ(broken([](Module& m) { m.functions[0].returns.push_back(m.variables[0]); }), 1u);
  EXPECT_EQ(broken([](Module& m) { m.variables[0].init.assign(5, {}); }), 1u);
  EXPECT_EQ(broken([](Module& m) { m.variables[0].init.resize(1), m.variables[0].linkage = Linkage::external; }), 1u);
  EXPECT_EQ(broken([](Module& m) {
              m.variables[0].init.resize(1);
              m.variables[0].init[0].kind = InitValue::Kind::symbol;
              m.variables[0].init[0].symbol = {SymbolRef::Kind::function, 7};
            }),
            1u);
  EXPECT_EQ(broken([](Module& m) { m.variables[0].dims = {1ull << 40, 1ull << 40}; }), 1u);
  EXPECT_EQ(broken([](Module& m) { m.variables[0].dims = {4, 0}; }), 1u);
  EXPECT_EQ(broken([](Module& m) { m.variables[0].align = 3; }), 1u);
  EXPECT_EQ(broken([](Module& m) { m.variables[0].type = Type::pred; }), 1u);
  EXPECT_EQ(broken([](Module& m) { m.aliases.push_back({"a", "no_such_function"}); }), 1u);
  EXPECT_EQ(broken([](Module& m) { m.functions[0].registers[1].name = m.functions[0].registers[0].name; }), 1u);
}

TEST(Verifier, instructions_without_form_are_found) {
  const auto broken = [](auto change) {
    Module module = small_module();
    change(module.functions[0].body[0]);
    return find_problems(module).size();
  };
  EXPECT_EQ(broken([](Instruction& i) { i.opcode = Opcode::count_; }), 1u);
  EXPECT_EQ(broken([](Instruction& i) { i.operands.pop_back(); }), 1u);
  EXPECT_EQ(broken([](Instruction& i) {
              i.form = no_form;
              i.modifiers.clear();
            }),
            1u);
  EXPECT_EQ(broken([](Instruction& i) { i.form = 0xFFFE; }), 1u);
}

TEST(Verifier, an_instruction_that_a_pass_made_is_right) {
  Module module = small_module();
  Function& f = module.functions[0];
  f.body[0] = make_instruction(Opcode::mov, {modifier_of(Type::u32)},
                               {Operand::make_reg(f.body[0].operands[0].index), Operand::make_integer(5)});
  EXPECT_TRUE(find_problems(module).empty());
}

}  // namespace
}  // namespace heddle::ptx
