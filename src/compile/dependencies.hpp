// Which files a compilation read, and which functions its result still needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::compile {

// The prerequisites in a make rule as clang's -MD writes it, escapes undone, in order.
std::vector<std::string> parse_make_rule(std::string_view text);

// Names of the functions that PTX declares .extern, except those every Heddle device provides (vprintf, malloc, free,
// __assertfail).
std::vector<std::string> unresolved_functions(std::string_view ptx);

// Throws compile_error with their names where there are any; `name` is the source's.
void refuse_unresolved_functions(std::string_view ptx, std::string_view name);

}  // namespace heddle::compile
