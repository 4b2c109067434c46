#include "compile/lack.hpp"

#include <signal.h>

#include <algorithm>
#include <cstring>
#include <regex>
#include <string>

#include "base/fail.hpp"
#include "base/memory_limit.hpp"
#include "base/system_limits.hpp"

namespace heddle::compile {
namespace {

constexpr int signal_base = 128;  // of exit_status

// The line that has one of the words, but for lines that quote the source, which have a number and a bar in front.
std::string line_with(const std::string& text, std::initializer_list<const char*> all_words) {
  static const std::regex of_source(R"( *[0-9]* \|.*|.*: error: "?.*#error.*)");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const bool found = std::any_of(all_words.begin(), all_words.end(),
                                   [&](const char* words) { return line.find(words) != line.npos; });
    if (found && !std::regex_match(line, of_source)) return line;
    at = end + 1;
  }
  return {};
}

}  // namespace

void refuse_lack(std::string_view compiler, const ProcessResult& process, const std::filesystem::path& place) {
  if (process.exit_status == 0) return;
  const std::string full = line_with(process.err, {": No space left on device", "'No space left on device'",
                                                   ": Disk quota exceeded", "'Disk quota exceeded'"});
  if (!full.empty()) {
    // "unable to open output file '/tmp/x': 'No space left on device'", "failed to write to output 'a.o': No space ..."
    static const std::regex file(R"('([^']+)': )");
    std::smatch match;
    const std::string named = std::regex_search(full, match, file) ? match[1].str() : place.string();
    base::fail(ErrorCode::io_error, "no space left on device: {} ({} could not write its result)", named, compiler);
  }
  // SIGXFSZ ends compilers that do not ignore it, and their drivers name it.
  if (process.exit_status == signal_base + SIGXFSZ ||
      !line_with(process.err, {": File too large", "'File too large'", "File size limit exceeded"}).empty())
    base::fail(ErrorCode::io_error,
               "{} could not write its result for {}: the file would be larger than this shell permits (ulimit -f)",
               compiler, place.string());
  // A compiler that reports crashes of its parts does that; without any stack it cannot report its own.
  const std::string note = base::stack_limit_note();
  const bool crashed = process.exit_status == signal_base + SIGSEGV || process.exit_status == signal_base + SIGBUS ||
                       !line_with(process.err, {"internal compiler error: Segmentation fault"}).empty();
  if (crashed && !note.empty())
    base::fail(ErrorCode::out_of_memory,
               "there is no stack for {}, which compiles CUDA C++: it crashed{}. Raise it: "
               "ulimit -s 8192",
               compiler, note);
  const std::string memory = line_with(
      process.err, {"LLVM ERROR: out of memory", "std::bad_alloc", "LLVM ERROR: IO failure: Cannot allocate"});
  const bool not_loaded =
      process.err.find("error while loading shared libraries") != process.err.npos && base::says_no_memory(process.err);
  if (!memory.empty() || not_loaded)
    base::fail(ErrorCode::out_of_memory, "there is no memory for {}, which compiles CUDA C++{}", compiler,
               base::memory_limit_note());
}

std::string how_it_ended(std::string_view command, const ProcessResult& process) {
  if (process.exit_status < signal_base) return fmt::format("{} ended with status {}.", command, process.exit_status);
  const int signal = process.exit_status - signal_base;
  const char* const name = ::strsignal(signal);
  return fmt::format("{} was ended by signal {} ({}).", command, signal, name != nullptr ? name : "unknown");
}

}  // namespace heddle::compile
