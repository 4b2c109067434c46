// Names of kernels as the source has them.
#pragma once

#include <string>
#include <string_view>

namespace heddle::base {

// "blur(float*, int)" for "_Z4blurPfi"; names that are not mangled stay as they are.
std::string demangled(const std::string& name);
// For messages: the mangled name, with the readable one behind it where that differs.
std::string readable_name(const std::string& name);
// Whose a variable of a module is: a program's, or a constant that Heddle's headers bring ("__heddle::two_over_pi"), or
// one that clang makes of a literal ("_$_str").
enum class Maker { program, heddle, compiler };
Maker maker_of_variable(const std::string& name);
// Whether `wanted` is what a programmer may call the kernel: the name with or without namespaces, with or without
// template arguments, with or without parameters, and with or without the return type of a template instance:
// "img::blur<float>(float*, int)", "blur<float>", "img::blur", "blur". Blanks do not matter.
bool source_name_matches(const std::string& mangled, std::string_view wanted);

}  // namespace heddle::base
