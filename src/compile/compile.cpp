#include "compile/compile.hpp"

#include <system_error>
#include <utility>

#include "base/content.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/printable.hpp"
#include "base/variables.hpp"
#include "compile/cache.hpp"
#include "compile/clang.hpp"
#include "compile/compilation.hpp"
#include "compile/declarations.hpp"
#include "compile/environment.hpp"
#include "compile/headers.hpp"
#include "compile/nvrtc/compile.hpp"

namespace heddle::compile {
namespace {

std::string cache_key(const Unit& unit, const Clang& clang, const CompileOptions& options,
                      const std::vector<std::string>& environment) {
  base::Sha256 hash;
  std::error_code ignored;
  for (const std::string& field :
       {clang.identity, std::string(headers_version()), std::filesystem::current_path(ignored).string(), unit.name,
        std::string(unit.is_file ? "file" : "text")}) {
    hash.add_field(field);
  }
  hash.add_field(unit.source);
  hash.add_field(definitions(options));
  const auto add_list = [&](const std::vector<std::string>& list) {
    hash.add_field(std::to_string(list.size()));
    for (const std::string& text : list) hash.add_field(text);
  };
  const IncludePaths paths = include_arguments(options, "headers");
  for (const auto& list : {paths.before, paths.own, paths.after, split_extra(options).forced_includes,
                           language_arguments(clang, "headers", options)}) {
    add_list(list);
  }
  for (const std::string& variable : environment) {
    if (!variable.starts_with("TMPDIR=")) hash.add_field(variable);
  }
  return hash.hex();
}

// For the unit's own file the source that went into the key must be what clang read: otherwise somebody changed the
// file meanwhile, and the result is not kept.
void keep(const std::string& key, const Unit& unit, const Compilation& compilation) {
  std::string doubt;
  auto lookups = compilation.lookups(doubt);
  if (lookups && unit.is_file && base::read_file_if_there(unit.name) != unit.source) doubt = "it has just been written";
  if (!doubt.empty() || !lookups) {
    base::log_info("the PTX of {} is not cached: {}", unit.name, doubt);
    return;
  }
  store_entry(key, {compilation.ptx(), compilation.warnings(), std::move(*lookups)});
}

CompileResult compile_with_clang(const Unit& unit, const CompileOptions& options) {
  const Clang clang = find_clang();
  const std::vector<std::string> environment = compiler_environment();
  const std::string key = cache_key(unit, clang, options, environment);
  if (auto entry = load_entry(key)) return {std::move(entry->ptx), std::move(entry->warnings), true};
  Compilation compilation(unit, clang, options, environment);
  compilation.run();
  keep(key, unit, compilation);
  return {compilation.ptx(), compilation.warnings(), false};
}

CompileResult compile(const Unit& unit, const CompileOptions& options) {
  check_options(options);
  base::require_text(unit.source, unit.name, "CUDA C++");
  CompileResult result =
      chosen_compiler(options) == Compiler::nvrtc ? nvrtc::compile(unit, options) : compile_with_clang(unit, options);
  // Not a part of what is cached: it follows from the source, and is found in no time.
  result.ptx = with_kernel_notes(std::move(result.ptx), unit.source);
  return result;
}

}  // namespace

Compiler chosen_compiler(const CompileOptions& options) {
  if (options.compiler != Compiler::by_default) return options.compiler;
  return base::text_variable("HEDDLE_COMPILER") == "nvrtc" ? Compiler::nvrtc : Compiler::clang;
}

CompileResult compile_cuda_detailed(std::string_view source, std::string_view file_name,
                                    const CompileOptions& options) {
  return compile({source, file_name.empty() ? "source.cu" : std::string(file_name)}, options);
}

std::string compile_cuda(std::string_view source, std::string_view file_name, const CompileOptions& options) {
  return compile_cuda_detailed(source, file_name, options).ptx;
}

CompileResult compile_cuda_file_detailed(const std::filesystem::path& file, const CompileOptions& options) {
  base::refuse_line_end_of_source(file);
  const std::string source = base::read_file(file);
  return compile({source, file.string(), true}, options);
}

std::string compile_cuda_file(const std::filesystem::path& file, const CompileOptions& options) {
  return compile_cuda_file_detailed(file, options).ptx;
}

}  // namespace heddle::compile
