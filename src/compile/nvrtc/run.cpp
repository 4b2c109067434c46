#include "compile/nvrtc/run.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <system_error>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/size_limit_signal.hpp"
#include "base/temporary_folder.hpp"
#include "compile/environment.hpp"
#include "compile/fields.hpp"
#include "compile/lack.hpp"
#include "compile/subprocess.hpp"

namespace heddle::compile::nvrtc {
namespace {

// The program as a file that exists in memory only.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("heddle-nvrtc", MFD_CLOEXEC)) {
    const base::WithoutSizeLimitSignal only_fails;
    for (std::string_view rest = child_program(); descriptor_ >= 0 && !rest.empty();) {
      const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
      if (written <= 0) {
        ::close(descriptor_);
        descriptor_ = -1;
      } else {
        rest.remove_prefix(static_cast<std::size_t>(written));
      }
    }
  }
  ~MemoryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  bool there() const { return descriptor_ >= 0; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

std::optional<ProcessResult> run_from_memory(std::string_view input, const std::vector<std::string>& environment) {
  const MemoryFile program;
  if (!program.there()) return {};
  try {
    return run_process({program.path()}, input, environment);
  } catch (const Error&) {
    return {};  // no /proc, or a system that does not run what is in memory only
  }
}

ProcessResult run_child(std::string_view input, const std::vector<std::string>& environment,
                        const std::filesystem::path& scratch) {
  if (auto result = run_from_memory(input, environment)) return std::move(*result);
  base::TemporaryFolder own;
  if (scratch.empty()) own.create("compile");
  const auto file = (scratch.empty() ? own.path() : scratch) / "heddle-nvrtc";
  base::write_file_atomic(file, child_program());
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return run_process({file.string()}, input, environment);
}

std::string ended(int status) {
  if (status < 128) return fmt::format("it ended the process with status {}", status);
  const char* name = ::strsignal(status - 128);
  return fmt::format("it crashed (signal {}: {})", status - 128, name != nullptr ? name : "unknown");
}

[[noreturn]] void unusable(const Library& library, const std::string& why) {
  base::fail(ErrorCode::unsupported, "NVRTC ({}) cannot be used: {}. HEDDLE_NVRTC names another one.",
             library.path.string(), why);
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

// Takes the answer's fields; false when they are damaged.
bool take_description(std::string_view& from, Description& description) {
  const auto version = take_field(from), targets = take_field(from);
  if (!version || !targets) return false;
  description.version = *version;
  for (std::string_view rest = *targets; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const auto target = number_in<int>(rest.substr(0, end));
    if (!target) return false;
    description.targets.push_back(*target);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

bool take_answer(std::string_view& from, Answer& answer) {
  const auto error = take_field(from), log = take_field(from), ptx = take_field(from), count = take_field(from);
  const auto questions = count ? number_in<std::size_t>(*count) : std::nullopt;
  if (!questions) return false;
  answer.error = *error;
  answer.log = *log;
  answer.ptx = *ptx;
  for (std::size_t i = 0; i < *questions; ++i) {
    const auto question = take_field(from);
    if (!question || question->size() < 2) return false;
    answer.questions.push_back({std::string(question->substr(1)), question->front() != 'n', question->front() == 'r'});
  }
  return true;
}

Answer exchange(const Library& library, const std::string& request, bool compiles,
                const std::filesystem::path& scratch) {
  const ProcessResult result = run_child(request, environment(library), scratch);
  std::string_view rest = result.out;
  const auto first = take_field(rest);
  if (first == "unusable") unusable(library, std::string(take_field(rest).value_or("")));
  Answer answer;
  if (first == "usable" && take_description(rest, answer.description) && (!compiles || take_answer(rest, answer)))
    return answer;
  refuse_lack("NVRTC", result, scratch);
  const std::string_view said = std::string_view(result.err).substr(0, result.err.find_last_not_of('\n') + 1);
  unusable(library, ended(result.exit_status) + (said.empty() ? "" : ", after it said: " + std::string(said)));
}

std::string start_of_request(const Library& library, std::string_view task) {
  std::string text;
  append_field(text, library.path.string());
  append_field(text, task);
  return text;
}

}  // namespace

Description describe(const Library& library) {
  return exchange(library, start_of_request(library, "ask"), false, {}).description;
}

Answer run(const Library& library, const Request& request, const std::filesystem::path& scratch) {
  std::string text = start_of_request(library, "compile");
  append_field(text, request.name);
  append_field(text, request.source);
  for (const std::string& option : request.options) append_field(text, option);
  return exchange(library, text, true, scratch);
}

std::vector<std::string> environment(const Library& library) {
  constexpr std::string_view loader_path = "LD_LIBRARY_PATH=";
  // NVRTC opens its other half, libnvrtc-builtins, by name.
  std::string folders = library.path.parent_path().string() + ':' + library.real.parent_path().string();
  std::vector<std::string> result;
  for (const std::string& entry : compiler_environment()) {
    if (entry.starts_with(loader_path)) {
      folders += ':' + entry.substr(loader_path.size());
    } else if (entry.starts_with("LD_") || entry.starts_with("TMPDIR=")) {
      result.push_back(entry);
    }
  }
  result.push_back(std::string(loader_path) + folders);
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace heddle::compile::nvrtc
