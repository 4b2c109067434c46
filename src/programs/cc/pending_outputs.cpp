#include "programs/cc/pending_outputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/link_target.hpp"

namespace heddle::programs {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words::iterator find(Words& words, const char* option) { return std::find(words.begin(), words.end(), option); }
bool has(Words& words, const char* option) { return find(words, option) != words.end(); }

// The word after the option; null: there is none.
std::string* value_of(Words& words, const char* option) {
  const auto at = find(words, option);
  return at != words.end() && at + 1 != words.end() ? &*(at + 1) : nullptr;
}

// These write other files beside the output, or put its name into it.
bool names_others(const std::string& word) {
  static constexpr const char* beginnings[] = {
      "-gsplit-dwarf",    "--coverage",   "-coverage",    "-fprofile-arcs", "-ftest-coverage",
      "-save-temps",      "--save-temps", "-ftime-trace", "-fstack-usage",  "-fsave-optimization-record",
      "-fcallgraph-info", "-fdump-",      "-fopt-info"};
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](const char* beginning) { return word.starts_with(beginning); });
}

bool is_special(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  return fs::exists(status) && !fs::is_regular_file(status);
}

[[noreturn]] void refuse(const fs::path& file, int error) {
  base::fail(ErrorCode::io_error, "cannot write {}: {}", file.string(), std::generic_category().message(error));
}

}  // namespace

PendingOutputs::PendingOutputs(Words command, const fs::path& own) : command_(std::move(command)) {
  const std::string* const output = value_of(command_, "-o");
  if (output == nullptr || std::any_of(command_.begin(), command_.end(), names_others)) return;
  const bool is_own = fs::path(*output).parent_path() == own;
  if (!is_own) name_dependencies(std::string(*output));
  if (!is_own) set_aside(*value_of(command_, "-o"));
  if (std::string* const list = value_of(command_, "-MF")) set_aside(*list);
}

// The compiler would name the list, and the target in it, like its output.
void PendingOutputs::name_dependencies(const std::string& output) {
  if (!has(command_, "-MD") && !has(command_, "-MMD")) return;
  if (!has(command_, "-MF"))
    command_.insert(command_.end() - 1, {"-MF", fs::path(output).replace_extension(".d").string()});
  if (!has(command_, "-MT") && !has(command_, "-MQ")) command_.insert(command_.end() - 1, {"-MQ", output});
}

void PendingOutputs::set_aside(std::string& output) {
  const fs::path file = output;
  if (file == "-" || is_special(file)) return;
  base::require_folder_of(file);
  if (::access(file.c_str(), F_OK) == 0 && ::access(file.c_str(), W_OK) != 0) refuse(file, errno);
  Pending& made = pending_.emplace_back();
  made.target = base::link_target(file);
  const fs::path folder = made.target.has_parent_path() ? made.target.parent_path() : fs::path(".");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) refuse(file, errno);
  made.folder.create(folder, "cc-output");
  made.made = made.folder.path() / made.target.filename();
  output = made.made.string();
}

void PendingOutputs::settle() {
  std::error_code error;
  for (const Pending& one : pending_) {
    if (!fs::exists(one.made, error)) continue;  // a compiler that writes none has nothing to say
    fs::rename(one.made, one.target, error);
    if (error) refuse(one.target, error.value());
  }
}

}  // namespace heddle::programs
