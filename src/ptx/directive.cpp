#include "ptx/directive.hpp"

#include <array>

#include "ptx/name_lookup.hpp"

namespace heddle::ptx {
namespace {

constexpr std::string_view names[] = {
    "version",
    "target",
    "address_size",
    "file",
    "section",
    "pragma",
    "loc",
    "alias",
    "func",
    "entry",
    "extern",
    "visible",
    "weak",
    "common",
    "global",
    "const",
    "shared",
    "local",
    "param",
    "reg",
    "tex",
    "branchtargets",
    "calltargets",
    "callprototype",
    "align",
    "attribute",
    "ptr",
    "maxntid",
    "reqntid",
    "minnctapersm",
    "maxnctapersm",
    "maxnreg",
    "noreturn",
    "abi_preserve",
    "abi_preserve_control",
    "blocksareclusters",
    "reqnctapercluster",
    "maxclusterrank",
    "explicitcluster",
};
constexpr std::size_t count = std::size(names);
static_assert(count == static_cast<std::size_t>(Directive::explicitcluster));

constexpr auto lookup = [] {
  std::array<NameLookup<count>::Entry, count> entries{};
  for (std::size_t i = 0; i < count; ++i) entries[i] = {names[i], static_cast<std::uint16_t>(i + 1)};
  return NameLookup<count>(entries);
}();

}  // namespace

Directive directive_from_name(std::string_view name) {
  const std::uint16_t found = lookup.find(name);
  return found == lookup.not_found ? Directive::none : static_cast<Directive>(found);
}

}  // namespace heddle::ptx
