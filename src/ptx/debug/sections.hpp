// The bytes of the .section blocks of PTX: DWARF as text.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace heddle::ptx {

// By name: ".debug_info". A section that is there twice is continued.
using SectionBytes = std::map<std::string, std::string, std::less<>>;

// `text`: Module::sections. References to labels of sections are the labels' offsets; those to labels of code, and to
// what is not there, are 0. Throws parse_error with line and column for what is not a list of data.
SectionBytes read_sections(std::string_view text);

}  // namespace heddle::ptx
