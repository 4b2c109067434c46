// The words that start a PTX directive.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::ptx {

enum class Directive : std::uint8_t {
  none,
  version,
  target,
  address_size,
  file,
  section,
  pragma,
  loc,
  alias,
  func,
  entry,
  extern_,
  visible,
  weak,
  common,
  global,
  const_,
  shared,
  local,
  param,
  reg,
  tex,
  branchtargets,
  calltargets,
  callprototype,
  align,
  attribute,
  ptr,
  maxntid,
  reqntid,
  minnctapersm,
  maxnctapersm,
  maxnreg,
  noreturn,
  abi_preserve,
  abi_preserve_control,
  blocksareclusters,
  reqnctapercluster,
  maxclusterrank,
  explicitcluster,
};

// Without the dot; Directive::none when it is no directive.
Directive directive_from_name(std::string_view name);

}  // namespace heddle::ptx
