#include "compile/compile.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "compile/cache.hpp"
#include "compile/clang.hpp"
#include "compile/dependencies.hpp"
#include "compile/headers.hpp"
#include "compile/precompiled.hpp"
#include "compile/subprocess.hpp"
#include "compile/temporary.hpp"

namespace heddle::compile {
namespace {

// What is compiled: text under a name, or a file that clang reads itself so that its own folder is searched.
struct Unit {
  std::string_view source;
  std::string name;
  bool is_file = false;
};

std::string cache_key(const Unit& unit, const Clang& clang, const CompileOptions& options) {
  base::Sha256 hash;
  std::error_code ignored;
  for (const std::string& field :
       {clang.identity, std::string(headers_version()), std::filesystem::current_path(ignored).string(), unit.name,
        std::string(unit.is_file ? "file" : "text")}) {
    hash.add_field(field);
  }
  hash.add_field(unit.source);
  hash.add_field(definitions(options));
  for (const std::string& path : options.include_paths) hash.add_field(path);
  for (const std::string& argument : language_arguments(clang, "headers", options)) hash.add_field(argument);
  return hash.hex();
}

std::string line_name(std::string_view name) {
  std::string text;
  for (char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return '"' + text + '"';
}

struct Compilation {
  ProcessResult process;
  std::vector<std::string> files_read;
  bool files_known = false;  // false when clang could not write its list
};

// Macros that make heddle/exports.h define those of the functions that it knows.
std::string export_list(const std::vector<std::string>& names) {
  std::string list;
  for (const EmbeddedHeader& header : embedded_headers()) {
    if (header.path != "heddle/exports.h") continue;
    for (const std::string& name : names) {
      const std::string macro = "__HEDDLE_EXPORT_" + name;
      if (header.text.find("#define " + macro + ' ') != header.text.npos) list += ' ' + macro;
    }
  }
  return list;
}

class Compiler {
 public:
  Compiler(const Unit& unit, const Clang& clang, const CompileOptions& options)
      : unit_(unit), options_(options), arguments_(language_arguments(clang, headers_.path(), options)) {
    folder_.create();
    if (headers_.permanent()) precompiled_ = precompiled_prelude(clang, headers_.path(), arguments_);
  }

  // Compiles once, and a second time when the first result calls C library functions by name (as __builtin_sinf or
  // <complex> do), with definitions of those.
  Compilation run() {
    Compilation result = attempt({});
    if (result.process.exit_status == 0) {
      const std::string exports = export_list(unresolved_functions(result.process.out));
      if (!exports.empty()) result = attempt(exports);
    }
    return result;
  }

 private:
  Compilation attempt(const std::string& exports) {
    Compilation result = run_once(exports);
    if (precompiled_ && result.process.exit_status != 0 && refused_precompiled(result.process.err)) {
      std::error_code ignored;
      std::filesystem::remove(*precompiled_, ignored);
      precompiled_.reset();
      result = run_once(exports);
    }
    return result;
  }

  Compilation run_once(const std::string& exports) {
    const IncludePaths paths = include_arguments(options_);
    std::vector<std::string> command{arguments_.front()};
    // Before the headers' own -I, which is among the language arguments.
    command.insert(command.end(), paths.before.begin(), paths.before.end());
    command.insert(command.end(), arguments_.begin() + 1, arguments_.end());
    command.insert(command.end(), paths.after.begin(), paths.after.end());
    if (precompiled_) {
      command.insert(command.end(), {"-Xclang", "-include-pch", "-Xclang", precompiled_->string()});
    } else {
      command.insert(command.end(), {"-include", (headers_.path() / "heddle/prelude.h").string()});
    }
    if (!exports.empty()) {
      command.insert(command.end(),
                     {"-DHEDDLE_EXPORTS=" + exports, "-include", (headers_.path() / "heddle/exports.h").string()});
    }
    const auto list = folder_.path() / "files", defines = folder_.path() / "defines.h";
    base::write_file_atomic(defines, definitions(options_));
    command.insert(command.end(), {"-include", defines.string(), "-MD", "-MT", "x", "-MF", list.string(), "-o", "-"});
    return finish(run_process(with_input(command), input()), list);
  }

  Compilation finish(ProcessResult process, const std::filesystem::path& list) const {
    Compilation result{std::move(process), {}, false};
    if (auto text = base::read_file_if_there(list)) {
      result.files_read = parse_make_rule(*text);
      result.files_known = true;
    }
    std::erase_if(result.files_read, [&](const std::string& path) {
      return path == "-" || path == "<stdin>" || path.starts_with(headers_.path().string()) ||
             path.starts_with(folder_.path().string());
    });
    return result;
  }

  std::vector<std::string> with_input(std::vector<std::string> command) const {
    if (unit_.is_file) {
      command.insert(command.end(), {"--", unit_.name});
      return command;
    }
    std::filesystem::path folder = std::filesystem::path(unit_.name).parent_path();
    if (!folder.empty()) command.insert(command.end(), {"-iquote", folder.string()});
    command.push_back("-");
    return command;
  }

  std::string input() const {
    if (unit_.is_file) return {};
    return "#line 1 " + line_name(unit_.name) + "\n" + std::string(unit_.source);
  }

  const Unit& unit_;
  const CompileOptions& options_;
  HeaderFolder headers_;
  TemporaryFolder folder_;
  std::vector<std::string> arguments_;
  std::optional<std::filesystem::path> precompiled_;
};

// clang's text without the stack dump it appends when its backend gives up.
std::string_view diagnostics(std::string_view text) {
  text = text.substr(0, std::min(text.find("PLEASE submit a bug report"), text.size()));
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

void check(const Compilation& compilation, const Unit& unit) {
  const ProcessResult& process = compilation.process;
  if (process.exit_status != 0) {
    const std::string text = process.err.empty() ? fmt::format("clang ended with status {}.", process.exit_status)
                                                 : std::string(diagnostics(process.err));
    // What clang says of an option is one line; what it says of the source, with the line of the source, are several.
    base::fail(ErrorCode::compile_error, "{} does not compile:{}{}", unit.name,
               text.find('\n') != text.npos ? '\n' : ' ', text);
  }
  auto names = unresolved_functions(process.out);
  if (names.empty()) return;
  base::fail(
      ErrorCode::compile_error,
      "{} does not compile: device code calls {}, which is declared but has no device definition in this file. Heddle "
      "compiles each file by itself; put the definition into the file or a header it includes.",
      unit.name, fmt::join(names, ", "));
}

// Fingerprints are taken after compiling. For the unit's own file the source that went into the key must be what clang
// read: otherwise somebody changed the file meanwhile, and the result is not kept.
void keep(const std::string& key, const Unit& unit, const Compilation& compilation) {
  if (!compilation.files_known) return;
  if (unit.is_file && base::read_file_if_there(unit.name) != unit.source) return;
  CacheEntry entry{compilation.process.out, compilation.process.err, {}};
  for (const std::string& path : compilation.files_read) entry.dependencies.push_back({path, fingerprint(path)});
  store_entry(key, entry);
}

CompileResult compile(const Unit& unit, const CompileOptions& options) {
  check_options(options);
  const Clang clang = find_clang();
  const std::string key = cache_key(unit, clang, options);
  if (auto entry = load_entry(key)) return {std::move(entry->ptx), std::move(entry->warnings), true};
  Compilation compilation = Compiler(unit, clang, options).run();
  check(compilation, unit);
  keep(key, unit, compilation);
  return {std::move(compilation.process.out), std::move(compilation.process.err), false};
}

}  // namespace

CompileResult compile_cuda_detailed(std::string_view source, std::string_view file_name,
                                    const CompileOptions& options) {
  return compile({source, file_name.empty() ? "source.cu" : std::string(file_name)}, options);
}

std::string compile_cuda(std::string_view source, std::string_view file_name, const CompileOptions& options) {
  return compile_cuda_detailed(source, file_name, options).ptx;
}

CompileResult compile_cuda_file_detailed(const std::filesystem::path& file, const CompileOptions& options) {
  const std::string source = base::read_file(file);
  return compile({source, file.string(), true}, options);
}

std::string compile_cuda_file(const std::filesystem::path& file, const CompileOptions& options) {
  return compile_cuda_file_detailed(file, options).ptx;
}

}  // namespace heddle::compile
