// Names of kernels as they are in the source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::base {

// "blur(float*, int)" for "_Z4blurPfi"; names that are not mangled stay as they are.
std::string demangled(const std::string& name);
// "blur" or "img::blur<float>" for mangled names, without the parameters; others stay as they are.
std::string source_name(const std::string& name);
// For messages: the mangled name, followed by the demangled one if that differs.
std::string readable_name(const std::string& name);
// Without namespaces, template arguments and parameters: "blur" for "_ZN3img4blurIfEEvPT_i", and for "blur".
std::string plain_name(const std::string& name);
// The types of the parameters, "float const*", "int"; empty for a name that is not mangled.
std::vector<std::string> parameter_types(const std::string& mangled);
// Where a variable of a module comes from: the program, Heddle's headers ("__heddle::two_over_pi"), or a literal for
// which clang makes a variable ("_$_str").
enum class Maker { program, heddle, compiler };
Maker maker_of_variable(const std::string& name);
// Whether `wanted` is a name of the kernel in the source. Namespaces, template arguments, parameters and the return
// type of a template instance may each be present or absent: "img::blur<float>(float*, int)", "blur<float>",
// "img::blur", "blur". Blanks do not matter.
bool source_name_matches(const std::string& mangled, std::string_view wanted);

}  // namespace heddle::base
