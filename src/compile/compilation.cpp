#include "compile/compilation.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "base/content.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"
#include "compile/dependencies.hpp"
#include "compile/dialect.hpp"
#include "compile/environment.hpp"
#include "compile/includes.hpp"
#include "compile/lack.hpp"
#include "compile/observer.hpp"
#include "compile/sdk.hpp"

namespace heddle::compile {
namespace {

std::string line_name(std::string_view name) {
  std::string text;
  for (char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return '"' + text + '"';
}

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

// clang's text without the stack dump it appends when its backend gives up.
std::string_view diagnostics(std::string_view text) {
  text = text.substr(0, std::min(text.find("PLEASE submit a bug report"), text.size()));
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

// What clang says in words that do not name the reason.
std::string explain_refusals(std::string_view diagnostics) {
  const bool launches = diagnostics.find("reference to __global__ function") != diagnostics.npos;
  return launches ? "\nHeddle has no dynamic parallelism: kernels are launched by the host, not by kernels." : "";
}

}  // namespace

Compilation::Compilation(const Unit& unit, const Clang& clang, const CompileOptions& options,
                         const std::vector<std::string>& environment)
    : unit_(unit),
      options_(options),
      environment_(environment),
      arguments_(language_arguments(clang, headers_.path(), options)) {
  folder_.create("compile");
  require_includable(folder_.path());
  overlay_ = dialect_overlay(unit, options, folder_.path());
  start_ = start_of_observation();
  if (headers_.permanent()) precompiled_ = precompiled_prelude(clang, headers_.path(), arguments_, environment);
}

void Compilation::run() {
  attempt({});
  if (last_.process.exit_status == 0) {
    const std::string exports = export_list(unresolved_functions(last_.process.out));
    if (!exports.empty()) attempt(exports);
  }
  check();
}

void Compilation::attempt(const std::string& exports) {
  run_once(exports);
  if (precompiled_ && last_.process.exit_status != 0 && refused_precompiled(last_.process.err)) {
    std::error_code ignored;
    std::filesystem::remove(precompiled_->file, ignored);
    precompiled_.reset();
    run_once(exports);
  }
}

void Compilation::run_once(const std::string& exports) {
  last_ = run_traced(command(exports), input_words(), input(), environment_, folder_.path());
  known_ = known_ && last_.known;
  read_.insert(read_.end(), last_.read.begin(), last_.read.end());
  entered_.insert(entered_.end(), last_.entered.begin(), last_.entered.end());
}

std::vector<std::string> Compilation::command(const std::string& exports) const {
  const IncludePaths paths = include_arguments(options_, headers_.path());
  std::vector<std::string> command{arguments_.front()};
  // Before the headers' own -I, which is among the language arguments.
  command.insert(command.end(), paths.before.begin(), paths.before.end());
  command.insert(command.end(), arguments_.begin() + 1, arguments_.end());
  for (const auto* list : {&paths.own, &paths.after}) command.insert(command.end(), list->begin(), list->end());
  if (precompiled_) {
    command.insert(command.end(), {"-Xclang", "-include-pch", "-Xclang", precompiled_->file.string()});
  } else {
    command.insert(command.end(), {"-include", (headers_.path() / "heddle/prelude.h").string()});
  }
  if (!exports.empty()) {
    command.insert(command.end(),
                   {"-DHEDDLE_EXPORTS=" + exports, "-include", (headers_.path() / "heddle/exports.h").string()});
  }
  const auto defines = folder_.path() / "defines.h";
  base::write_file_atomic(defines, definitions(options_));
  command.insert(command.end(), {"-include", defines.string()});
  const std::vector<std::string> forced = split_extra(options_).forced_includes;
  command.insert(command.end(), forced.begin(), forced.end());
  command.insert(command.end(), overlay_.begin(), overlay_.end());
  command.insert(command.end(), {"-o", "-"});
  return command;
}

std::vector<std::string> Compilation::input_words() const {
  // Behind --, too, clang would take a name that begins with - for an option.
  if (unit_.is_file) return {"--", unit_.name.starts_with('-') ? "./" + unit_.name : unit_.name};
  const std::filesystem::path folder = std::filesystem::path(unit_.name).parent_path();
  if (folder.empty()) return {"-"};
  return {"-iquote", folder.string(), "-"};
}

std::string Compilation::input() const {
  if (unit_.is_file) return {};
  const std::string_view source = base::without_byte_order_mark(unit_.source);
  return "#line 1 " + line_name(unit_.name) + "\n" + in_clangs_dialect(source).value_or(std::string(source));
}

std::vector<std::string> Compilation::users_folders() const {
  std::vector<std::string> folders = environment_include_paths();
  for (const std::string& folder : named_folders(options_)) folders.push_back(folder);
  return folders;
}

void Compilation::check() const {
  const ProcessResult& process = last_.process;
  const std::string sdk = find_unasked_sdk(last_.entered, last_.path, users_folders(), headers_.path().string());
  if (!sdk.empty()) throw MissingSdk(fmt::format("{} does not compile: {}", unit_.name, sdk));
  refuse_lack("clang", process, folder_.path());
  const std::string& command = arguments_.front();
  if (process.exit_status == 0 && process.out.find(".version") == process.out.npos && !options_.extra.empty())
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} has made no PTX of {} with the options that it was passed: {}", command, unit_.name,
                            fmt::join(options_.extra, " ")));
  if (process.exit_status == 0 && process.out.find(".version") == process.out.npos)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} has made no PTX of {}: it is not clang 19. {}", command, unit_.name, clang_advice));
  if (process.exit_status != 0) {
    std::string text = process.err.empty() ? how_it_ended(command, process) : std::string(diagnostics(process.err));
    const std::string missing = explain_missing(process.err);
    for (const std::string& more : {missing, explain_refusals(process.err)})
      text += (more.empty() || more.front() == '\n' ? "" : "\n") + more;
    // What clang says of an option is one line; what it says of the source, with the line of the source, are several.
    text = fmt::format("{} does not compile:{}{}", unit_.name, text.find('\n') != text.npos ? '\n' : ' ', text);
    if (!missing.empty()) throw MissingSdk(text);
    throw Error(ErrorCode::compile_error, text);
  }
  // Relocatable code gets what it leaves open when it is linked.
  if (!is_relocatable(options_)) refuse_unresolved_functions(process.out, unit_.name);
}

std::optional<Lookups> Compilation::lookups(std::string& doubt) const {
  if (!known_) {
    doubt = "clang did not list what it read";
    return {};
  }
  if (!only_reads_headers(options_.extra)) {
    doubt = "it is not known which files the options for clang stand for";
    return {};
  }
  Observer observer(last_.path, start_, {headers_.path().string(), folder_.path().string()});
  if (precompiled_) observer.know(precompiled_->lookups);
  observer.list_compilers();
  for (const std::string& path : read_) observer.read(path);
  observer.look_up(find_mentions(unit_.source), unit_.is_file ? folder_of(unit_.name) : std::string());
  observer.look_up(find_mentions(definitions(options_)), {});
  observer.look_up(find_mentions_in_options(options_.extra), {});
  for (const std::string& path : entered_) {
    if (const auto text = base::read_file_if_there(path)) {
      observer.look_up(find_mentions(*text), folder_of(path));
    } else if (std::error_code ignored; std::filesystem::exists(path, ignored)) {
      doubt = path + " cannot be read again";
      return {};
    }
  }
  return observer.finish(doubt);
}

}  // namespace heddle::compile
