// The cache of programs that `heddle run FILE.cu` has compiled. Each has a list of the files that the host's side was
// made of, and of the program itself, with the hashes of their contents; the device's side is in the key, and has a
// cache of its own.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string_view>
#include <system_error>

#include "base/cache_folder.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/temporary_folder.hpp"
#include "compile/clang.hpp"
#include "compile/headers.hpp"
#include "programs/cc/cc.hpp"
#include "programs/cc/device_code.hpp"
#include "programs/cc/parse_options.hpp"
#include "programs/places.hpp"
#include "programs/run/run.hpp"

namespace heddle::programs {
namespace {

namespace fs = std::filesystem;

std::string key_of(const fs::path& source, const CcOptions& options) {
  base::Sha256 hash;
  const std::string clang = compile::find_host_clang().identity;
  const DeviceCode code = compile_device_code(source.string(), options);
  for (const std::string& field :
       {std::string("heddle program 4"), fs::absolute(source).string(), base::read_file(source), code.ptx.front().text,
        compile::find_clang().identity, clang, std::string(compile::headers_version()), library_folder().string()})
    hash.add_field(field);
  return hash.hex();
}

// make's syntax: "target: a b \" and so on, with spaces in names behind backslashes.
std::vector<std::string> files_of(const std::string& rule) {
  std::vector<std::string> files(1);
  for (std::size_t i = std::min(rule.find(": "), rule.size() - 2) + 2; i < rule.size(); ++i) {
    if (rule[i] == '\\' && i + 1 < rule.size() && (rule[i + 1] == ' ' || rule[i + 1] == '#')) {
      files.back() += rule[++i];
    } else if (rule[i] == ' ' || rule[i] == '\n' || rule[i] == '\\') {
      if (!files.back().empty()) files.emplace_back();
    } else {
      files.back() += rule[i];
    }
  }
  if (files.back().empty()) files.pop_back();
  return files;
}

// Headers of the system and of Heddle count as well: they are as many as a few hundred, and quick to read.
std::string list_of(const std::vector<std::string>& files) {
  std::string list;
  for (const std::string& file : files) {
    const auto text = base::read_file_if_there(file);
    list += fmt::format("{} {}\n", text ? base::sha256_hex(*text) : "none", file);
  }
  return list;
}

// A list is written behind its program, which is the last in it: one that was cut off says nothing.
bool still_true(const std::string& list, const fs::path& program) {
  std::vector<std::string> files;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = list.find('\n', at), space = list.find(' ', at);
    if (end == list.npos || space == list.npos || space > end) return false;
    files.push_back(list.substr(space + 1, end - space - 1));
    at = end + 1;
  }
  return !files.empty() && files.back() == program.string() && list_of(files) == list;
}

// Returns the list of files that it was made of.
std::string compile(CcOptions options, const fs::path& output, const fs::path& folder) {
  const fs::path dependencies = folder / "files.d";
  options.output = output.string();
  options.dependencies = {"-MD", "-MF", dependencies.string()};
  try {
    build(options);
  } catch (const Error& error) {
    if (std::string_view(error.what()).find("undefined reference to `main'") == std::string_view::npos) throw;
    base::fail(error.code(), "{} has no main(), so it is no program; heddle launch runs its kernels",
               options.inputs.front().name);
  }
  std::vector<std::string> files = files_of(base::read_file(dependencies));
  // What is in a folder for this one build is no part of what the program was made of.
  std::erase_if(files, [](const std::string& file) { return file.find("/heddle-cc.") != file.npos; });
  return list_of(files);
}

// With lines, for the reports of --check. There is nobody to say -lcuda, so programs get the driver's library where
// they call it.
CcOptions options_of(const fs::path& source) {
  std::vector<std::string> words{"-O2", "-Xcompiler", "-gline-tables-only", source.string()};
  std::error_code error;
  if (fs::exists(library_folder() / "libcuda.so.1", error))
    for (const char* word : {"-Xlinker=--push-state,--as-needed", "-lcuda", "-Xlinker=--pop-state"})
      words.emplace_back(word);
  return parse_cc_options(words);
}

}  // namespace

fs::path compiled_program(const fs::path& source) {
  CcOptions options = options_of(source);
  const std::string key = key_of(source, options);
  const fs::path folder = base::cache_directory() / "programs" / key.substr(0, 2) / key.substr(2);
  const fs::path program = folder / source.stem(), list = folder / "files";
  if (const auto files = base::read_cache_file(list); files && still_true(*files, program)) {
    const std::string why = base::distrust_file(program);
    if (why.empty() && ::access(program.c_str(), X_OK) == 0) return program;
    if (!why.empty()) base::log_warn_once(why);
  }
  auto temporary = std::make_unique<base::TemporaryFolder>();
  temporary->create("run");
  const fs::path made = temporary->path() / source.stem();
  // Where the program runs from there, the folder stays; the next `heddle run` of a source removes it.
  const auto from_there = [&] {
    static_cast<void>(temporary.release());
    return made;
  };
  std::string files = compile(options, made, temporary->path());
  if (!base::make_cache(folder)) return from_there();
  try {
    // Others may have found the list of one who was faster: the program is there as a whole, and can be run.
    base::write_file_atomic(program, base::read_file(made, base::most_file_bytes), fs::perms::owner_all);
    files += list_of({program.string()});
    base::write_file_atomic(list, std::string_view(files));
    return program;
  } catch (const std::exception&) {  // the cache is full or cannot be written: the program runs from where it is
    return from_there();
  }
}

}  // namespace heddle::programs
