#include "compile/dialect.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "compile/asm_registers.hpp"
#include "compile/attribute_order.hpp"
#include "compile/deduction_guides.hpp"
#include "compile/dependent_templates.hpp"
#include "compile/launch_arguments.hpp"
#include "compile/launch_tokens.hpp"
#include "compile/literal_suffixes.hpp"
#include "compile/pragma_macros.hpp"
#include "compile/program_files.hpp"

namespace heddle::compile {
namespace {

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    made += c;
  }
  return made + '"';
}

}  // namespace

std::optional<std::string> in_clangs_dialect(std::string_view source) {
  std::optional<std::string> made;
  for (const auto change :
       {&with_joined_launches, &with_named_lists, &with_doubled_percents, &with_attributes_first, &with_guides_for_both,
        &with_template_keywords, &with_pragma_operators, &with_blanks_behind_literals})
    if (auto changed = change(made ? *made : source)) made = std::move(changed);
  return made;
}

std::vector<std::string> dialect_overlay(const Unit& unit, const CompileOptions& options,
                                         const std::filesystem::path& folder) {
  std::string files;
  base::Sha256 names;
  visit_program_files(unit, options, [&](const std::string& path, std::string_view text) {
    const auto changed = in_clangs_dialect(text);
    if (!changed || (path == unit.name && !unit.is_file)) return;
    // clang takes ".." out of names before it looks for them here. Behind a link that is another file.
    std::error_code error;
    const std::filesystem::path plain = std::filesystem::absolute(path, error).lexically_normal();
    if (!std::filesystem::equivalent(plain, path, error)) return;
    // One copy for a file with several names, or #pragma once would not know it again.
    base::Sha256 name;
    name.add_field(std::filesystem::canonical(path, error).string());
    names.add_field(path);
    const std::filesystem::path copy = folder / fmt::format("dialect-{}.cu", name.hex());
    base::write_file_atomic(copy, std::string_view(*changed));
    files += fmt::format("{}{{\"type\": \"file\", \"name\": {}, \"external-contents\": {}}}", files.empty() ? "" : ", ",
                         quoted(plain.string()), quoted(std::filesystem::absolute(copy, error).string()));
  });
  if (files.empty()) return {};
  const std::filesystem::path list = folder / fmt::format("dialect-{}.yaml", names.hex());
  base::write_file_atomic(list, std::string_view(fmt::format(
                                    "{{\"version\": 0, \"use-external-names\": false, \"roots\": [{}]}}\n", files)));
  return {"-ivfsoverlay", list.string()};
}

}  // namespace heddle::compile
