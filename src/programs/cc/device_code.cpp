#include "programs/cc/device_code.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/fail.hpp"
#include "base/hash.hpp"
#include "compile/nvrtc/find.hpp"
#include "compile/sdk.hpp"
#include "cuda_api/image/fat_binary.hpp"

namespace heddle::programs {
namespace {

// The name at the end of a declaration: ".extern .global .align 4 .u32 total[3];"
std::string declared_name(std::string_view line) {
  line = line.substr(0, line.find_first_of("[;"));
  return std::string(line.substr(line.find_last_of(" \t") + 1));
}

// Variables of other files: without -rdc=true there is nothing that would join them.
void refuse_foreign_variables(const std::string& file, const std::string& ptx) {
  for (const std::string_view space : {".extern .global", ".extern .const"}) {
    const std::size_t at = ptx.find(space);
    if (at == ptx.npos) continue;
    base::fail(
        ErrorCode::unsupported,
        "{}: the device variable {} is declared extern and defined in no way here; compile all files that share it "
        "with -rdc=true, or put the kernels that use it into the file that defines it",
        file, declared_name(std::string_view(ptx).substr(at, ptx.find('\n', at) - at)));
  }
}

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

void replace_name(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != text.npos; at = text.find(from, at)) {
    const bool whole = (at == 0 || !is_name_character(text[at - 1])) &&
                       (at + from.size() == text.size() || !is_name_character(text[at + from.size()]));
    if (whole) text.replace(at, from.size(), to);
    at += whole ? to.size() : from.size();
  }
}

// With -rdc=true clang gives static variables that the host uses a name of the file's own, but it writes kernels that
// come before such a use with the plain name, which it declares as somebody else's. Both are the one variable.
void join_static_variables(std::string& ptx) {
  for (const std::string_view space : {".extern .global", ".extern .const"}) {
    for (auto at = ptx.find(space); at != ptx.npos; at = ptx.find(space, at)) {
      const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
      const std::string name = declared_name(std::string_view(ptx).substr(at, end - at));
      const std::size_t defined = ptx.find(' ' + name + "__static__");
      if (defined == ptx.npos) {
        at = end;
        continue;
      }
      std::size_t last = defined + 1;
      while (is_name_character(ptx[last])) ++last;
      const std::string whole = ptx.substr(defined + 1, last - defined - 1);
      ptx.erase(at, end - at);
      replace_name(ptx, name, whole);
    }
  }
}

DeviceCode compile_with(compile::CompileOptions device, const std::string& file, const CcOptions& options) {
  DeviceCode made;
  for (const std::string& architecture : options.architectures) {
    device.arch = "sm_" + architecture;
    compile::CompileResult result = compile::compile_cuda_file_detailed(file, device);
    if (options.relocatable)
      join_static_variables(result.ptx);
    else
      refuse_foreign_variables(file, result.ptx);
    if (made.ptx.empty()) made.warnings = std::move(result.warnings);
    made.ptx.push_back({static_cast<unsigned>(std::atoi(architecture.c_str())), std::move(result.ptx)});
  }
  return made;
}

}  // namespace

std::vector<std::string> unit_arguments(const std::string& file, const CcOptions& options) {
  if (!options.relocatable) return {"-Xclang", "-cuid=h"};
  // Names that files keep to themselves get it in them: no two files of a program may have the same.
  std::error_code error;
  const std::string whole = std::filesystem::absolute(file, error).string();
  return {"-Xclang", "-fgpu-rdc", "-Xclang", "-cuid=" + base::sha256_hex(whole).substr(0, 16)};
}

compile::CompileOptions device_options(const std::string& file, const CcOptions& options) {
  compile::CompileOptions made;
  made.include_paths = options.include_paths;
  made.fast_math = options.fast_math;
  made.extra = unit_arguments(file, options);
  const auto add = [&](std::initializer_list<std::string> words) {
    made.extra.insert(made.extra.end(), words.begin(), words.end());
  };
  for (const std::string& define : options.defines) {
    if (!define.starts_with('-')) {
      made.defines.push_back(define);
      continue;
    }
    const std::string name = define.substr(1);
    add({"-U" + name});  // for those that the compiler defines itself
    std::erase_if(made.defines,
                  [&](const std::string& earlier) { return earlier.substr(0, earlier.find('=')) == name; });
  }
  for (const std::string& folder : options.system_include_paths) add({"-isystem", folder});
  for (const std::string& folder : options.quoted_include_paths) add({"-iquote", folder});
  for (const std::string& file : options.forced_includes) add({"-include", file});
  if (const std::string standard = host_standard(options, Language::cuda); !standard.empty()) add({"-std=" + standard});
  // Both sides read host code, which may look at it. The version is one for which no omp.h declares variants of
  // functions by pragmas, which the device's side does not take.
  const auto is_openmp = [](const std::string& word) { return word == "-fopenmp" || word.starts_with("-fopenmp="); };
  if (std::any_of(options.host.begin(), options.host.end(), is_openmp)) add({"-D_OPENMP=201511"});
  if (options.no_contraction) add({"-ffp-contract=off"});
  if (options.flush_denormals) add({"-fgpu-flush-denormals-to-zero"});
  if (options.no_warnings) add({"-w"});
  if (options.errors_for_warnings) add({"-Werror"});
  return made;
}

DeviceCode compile_device_code(const std::string& file, const CcOptions& options) {
  try {
    return compile_with(device_options(file, options), file, options);
  } catch (const compile::MissingSdk&) {
    const std::vector<std::string> toolkit = compile::nvrtc::find_headers();
    if (toolkit.empty()) throw;
    compile::CompileOptions more = device_options(file, options);
    more.include_paths.insert(more.include_paths.end(), toolkit.begin(), toolkit.end());
    DeviceCode made = compile_with(std::move(more), file, options);
    made.toolkit = toolkit;
    return made;
  }
}

std::vector<std::byte> pack(const DeviceCode& code) {
  std::vector<cuda_api::FatPtx> all;
  all.reserve(code.ptx.size());
  for (const DevicePtx& ptx : code.ptx) all.push_back({ptx.architecture, ptx.text});
  return cuda_api::write_fat_binary(all);
}

}  // namespace heddle::programs
