// Modules: compiling, loading, variables.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "c_api/guard.hpp"
#include "c_api/handles.hpp"

namespace {

using heddle::c_api::choice;
using heddle::c_api::given;
using heddle::c_api::guarded;
using heddle::c_api::known;
using heddle::c_api::text_or;

std::vector<std::string> strings(const char* const* list, std::size_t count, const char* function, const char* what) {
  std::vector<std::string> result;
  result.reserve(count);
  if (count > 0) given(list, function, what);
  for (std::size_t i = 0; i < count; ++i) result.emplace_back(&given(list[i], function, what));
  return result;
}

heddle::ElementType element_type(heddle_element element, const char* function) {
  return static_cast<heddle::ElementType>(choice(element, HEDDLE_ELEMENT_OTHER, function, "element"));
}

heddle::CompileOptions compile_options(const heddle_compile_options* options, const char* function) {
  const heddle_compile_options wanted = known(options, function);
  heddle::CompileOptions result;
  result.defines = strings(wanted.defines, wanted.define_count, function, "one of the definitions");
  result.include_paths = strings(wanted.include_paths, wanted.include_path_count, function, "one of the folders");
  result.extra = strings(wanted.extra, wanted.extra_count, function, "one of the extra options");
  result.arch = text_or(wanted.arch, result.arch);
  result.fast_math = wanted.fast_math != 0;
  if (choice(wanted.opt, HEDDLE_OPT_3, function, "opt") != HEDDLE_OPT_DEFAULT) result.opt = wanted.opt - HEDDLE_OPT_0;
  result.line_info = wanted.no_line_info == 0;
  result.compiler = static_cast<heddle::Compiler>(choice(wanted.compiler, HEDDLE_COMPILER_NVRTC, function, "compiler"));
  return result;
}
static_assert(HEDDLE_COMPILER_NVRTC == static_cast<int>(heddle::Compiler::nvrtc));

// What all ways to a module have in common: `make` gets the runtime.
template <typename Make>
heddle_status make_module(const char* function, heddle_runtime* runtime, const char* text, const char* what,
                          heddle_module** module, const Make& make) {
  return guarded([&] {
    auto& from = given(runtime, function, "the runtime").runtime;
    given(text, function, what);
    auto& result = given(module, function, "the place of the module");
    auto made = std::make_unique<heddle_module>(heddle_module{make(from), {}});
    made->kernel_names = made->module.kernel_names();
    result = made.release();
  });
}

}  // namespace

extern "C" {

heddle_status heddle_module_compile(heddle_runtime* runtime, const char* source, const char* name,
                                    const heddle_compile_options* options, heddle_module** module) {
  const char* const function = "heddle_module_compile";
  return make_module(function, runtime, source, "the source", module, [&](heddle::Runtime& from) {
    return from.compile(source, text_or(name, "source.cu"), compile_options(options, function));
  });
}

heddle_status heddle_module_compile_file(heddle_runtime* runtime, const char* file,
                                         const heddle_compile_options* options, heddle_module** module) {
  const char* const function = "heddle_module_compile_file";
  return make_module(function, runtime, file, "the file's name", module, [&](heddle::Runtime& from) {
    return from.compile_file(file, compile_options(options, function));
  });
}

heddle_status heddle_module_load_ptx(heddle_runtime* runtime, const char* text, const char* name,
                                     heddle_module** module) {
  return make_module("heddle_module_load_ptx", runtime, text, "the PTX", module,
                     [&](heddle::Runtime& from) { return from.load_ptx(text, text_or(name, "ptx")); });
}

heddle_status heddle_module_load_ptx_file(heddle_runtime* runtime, const char* file, heddle_module** module) {
  return make_module("heddle_module_load_ptx_file", runtime, file, "the file's name", module,
                     [&](heddle::Runtime& from) { return from.load_ptx_file(file); });
}

heddle_status heddle_module_load_file(heddle_runtime* runtime, const char* file, const heddle_compile_options* options,
                                      heddle_module** module) {
  const char* const function = "heddle_module_load_file";
  return make_module(function, runtime, file, "the file's name", module,
                     [&](heddle::Runtime& from) { return from.load_file(file, compile_options(options, function)); });
}

void heddle_module_free(heddle_module* module) { delete module; }

heddle_status heddle_module_ptx(heddle_module* module, const char** text) {
  return guarded([&] {
    const auto& of = given(module, "heddle_module_ptx", "the module").module;
    given(text, "heddle_module_ptx", "the place of the text") = of.ptx().c_str();
  });
}

heddle_status heddle_module_kernel_count(heddle_module* module, size_t* count) {
  return guarded([&] {
    const auto& names = given(module, "heddle_module_kernel_count", "the module").kernel_names;
    given(count, "heddle_module_kernel_count", "the place of the count") = names.size();
  });
}

heddle_status heddle_module_kernel_name(heddle_module* module, size_t number, const char** name) {
  return guarded([&] {
    const char* const function = "heddle_module_kernel_name";
    const auto& names = given(module, function, "the module").kernel_names;
    auto& result = given(name, function, "the place of the name");
    if (number >= names.size())
      throw heddle::Error(heddle::ErrorCode::not_found, "there is no kernel number " + std::to_string(number) +
                                                            "; the module has " + std::to_string(names.size()));
    result = names[number].c_str();
  });
}

heddle_status heddle_module_get_variable_info(heddle_module* module, const char* name, heddle_variable_info* info) {
  return guarded([&] {
    const char* const function = "heddle_module_get_variable_info";
    const auto& of = given(module, function, "the module").module;
    given(name, function, "the variable's name");
    given(info, function, "the place of the answer");
    const heddle::VariableType type = of.variable_type(name);
    heddle_variable_info result{};
    result.element = static_cast<heddle_element>(type.element);
    result.is_array = type.is_array ? 1 : 0;
    result.bytes = type.bytes;
    heddle::c_api::hand_out(result, info, info->size, function);
  });
}

heddle_status heddle_module_set_variable(heddle_module* module, const char* name, heddle_element element,
                                         const void* data, size_t bytes, const char* device) {
  return guarded([&] {
    const char* const function = "heddle_module_set_variable";
    auto& of = given(module, function, "the module").module;
    given(name, function, "the variable's name");
    if (bytes > 0 && data == nullptr) heddle::c_api::refuse(std::string(function) + ": the data is NULL");
    of.set_variable(name, element_type(element, function), {static_cast<const std::byte*>(data), bytes},
                    text_or(device));
  });
}

heddle_status heddle_module_get_variable(heddle_module* module, const char* name, heddle_element element, void* data,
                                         size_t bytes, const char* device) {
  return guarded([&] {
    const char* const function = "heddle_module_get_variable";
    const auto& of = given(module, function, "the module").module;
    given(name, function, "the variable's name");
    if (bytes > 0 && data == nullptr) heddle::c_api::refuse(std::string(function) + ": the place of the data is NULL");
    of.get_variable(name, element_type(element, function), {static_cast<std::byte*>(data), bytes}, text_or(device));
  });
}

heddle_status heddle_module_write_variable(heddle_module* module, const char* name, size_t offset, const void* data,
                                           size_t bytes, const char* device) {
  return guarded([&] {
    const char* const function = "heddle_module_write_variable";
    auto& of = given(module, function, "the module").module;
    given(name, function, "the variable's name");
    if (bytes > 0 && data == nullptr) heddle::c_api::refuse(std::string(function) + ": the data is NULL");
    of.write_variable(name, offset, {static_cast<const std::byte*>(data), bytes}, text_or(device));
  });
}

heddle_status heddle_module_read_variable(heddle_module* module, const char* name, size_t offset, void* data,
                                          size_t bytes, const char* device) {
  return guarded([&] {
    const char* const function = "heddle_module_read_variable";
    const auto& of = given(module, function, "the module").module;
    given(name, function, "the variable's name");
    if (bytes > 0 && data == nullptr) heddle::c_api::refuse(std::string(function) + ": the place of the data is NULL");
    of.read_variable(name, offset, {static_cast<std::byte*>(data), bytes}, text_or(device));
  });
}

heddle_status heddle_compile_to_ptx(const char* file, const heddle_compile_options* options, char** text) {
  return guarded([&] {
    const char* const function = "heddle_compile_to_ptx";
    given(file, function, "the file's name");
    auto& result = given(text, function, "the place of the text");
    const std::string ptx = heddle::compile_to_ptx(file, compile_options(options, function));
    auto* copy = static_cast<char*>(std::malloc(ptx.size() + 1));
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(copy, ptx.c_str(), ptx.size() + 1);
    result = copy;
  });
}

void heddle_text_free(char* text) { std::free(text); }
}
