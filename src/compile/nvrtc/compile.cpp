#include "compile/nvrtc/compile.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/content.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/temporary_folder.hpp"
#include "compile/cache.hpp"
#include "compile/clang.hpp"
#include "compile/dependencies.hpp"
#include "compile/nvrtc/explain.hpp"
#include "compile/nvrtc/find.hpp"
#include "compile/nvrtc/options.hpp"
#include "compile/nvrtc/run.hpp"
#include "compile/observer.hpp"
#include "compile/program_files.hpp"

namespace heddle::compile::nvrtc {
namespace {

namespace fs = std::filesystem;

// What is asked of the file system is seen by watching NVRTC. These two files of our own, one that is there and is read
// and one that is not there, must be among what was seen; else it cannot be known what a result depends on.
constexpr const char* known_file = "definitions.h";
constexpr const char* known_gap = "heddle-not-there.h";

std::string definitions_header(const CompileOptions& options) {
  return definitions(options) + "#if __has_include(\"" + known_gap + "\")\n#endif\n";
}

struct Setting {
  const Unit& unit;
  const CompileOptions& options;
  Library library;
  std::vector<std::string> headers, words, environment;
};

std::string cache_key(const Setting& setting) {
  base::Sha256 hash;
  std::error_code ignored;
  for (const std::string& field : {std::string("nvrtc 1"), setting.library.path.string(), setting.library.identity,
                                   fs::current_path(ignored).string(), setting.unit.name}) {
    hash.add_field(field);
  }
  hash.add_field(setting.unit.source);
  hash.add_field(definitions_header(setting.options));
  for (const auto* list : {&setting.words, &setting.environment}) {
    hash.add_field(std::to_string(list->size()));
    for (const std::string& text : *list) {
      if (!text.starts_with("TMPDIR=")) hash.add_field(text);
    }
  }
  return hash.hex();
}

bool is_of_the_kernel(const std::string& path) {
  return path.starts_with("/proc/") || path.starts_with("/sys/") || path.starts_with("/dev/");
}

bool is_part_of_nvrtc(const Setting& setting, const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return name.starts_with("libnvrtc") || path == setting.library.path || path == setting.library.real;
}

// A text in which the time of day stands.
bool tells_time(std::string_view text) {
  for (const std::string_view word : {"__DATE__", "__TIME__", "__TIMESTAMP__"}) {
    if (text.find(word) != text.npos) return true;
  }
  return false;
}

class Compilation {
 public:
  explicit Compilation(const Setting& setting) : setting_(setting) {
    folder_.create("compile");
    base::write_file_atomic(folder_.path() / known_file, definitions_header(setting.options));
    start_ = start_of_observation();
    Request request{setting.unit.name, std::string(base::without_byte_order_mark(setting.unit.source)), setting.words};
    request.options.push_back("--pre-include=" + (folder_.path() / known_file).string());
    answer_ = nvrtc::run(setting.library, request, folder_.path());
    check();
  }

  Answer& answer() { return answer_; }

  // What the result depends on besides the cache's key. Nothing when that cannot be listed; then `doubt` says why.
  std::optional<Lookups> lookups(std::string& doubt) const {
    if (!only_make_ptx(setting_.options.extra)) {
      doubt = "options for NVRTC have other effects";
    } else if (!is_seen()) {
      doubt = "it cannot be seen which files NVRTC reads";
    } else if (tells_time(setting_.unit.source) || tells_time(definitions(setting_.options))) {
      doubt = "the source tells the time";
    }
    if (!doubt.empty()) return {};
    Observer observer(search_path(), start_, {folder_.path().string()});
    for (const std::string& folder : setting_.headers) observer.trust_times_below(folder);
    for (const Question& question : answer_.questions) {
      if (is_of_the_kernel(question.path)) continue;
      if (!question.read) {
        observer.asked(question.path, question.there);
        continue;
      }
      if (is_part_of_nvrtc(setting_, question.path)) {
        observer.trust_times_below(fs::path(question.path).string());
      } else if (const auto text = base::read_file_if_there(question.path); text && tells_time(*text)) {
        doubt = question.path + " tells the time";
        return {};
      }
      observer.read(question.path);
    }
    return observer.finish(doubt);
  }

 private:
  void check() const {
    if (!answer_.error.empty()) fail();
    if (answer_.ptx.empty()) {
      base::fail(ErrorCode::unsupported, "NVRTC {} ({}) gave no PTX for {}.", answer_.description.version,
                 setting_.library.path.string(), setting_.unit.name);
    }
    refuse_unresolved_functions(answer_.ptx, setting_.unit.name);
  }

  [[noreturn]] void fail() const {
    const std::string target = explain_target(answer_.description, target_number(setting_.options));
    if (!target.empty()) base::fail(ErrorCode::invalid_argument, "{}", target);
    const std::string_view log = answer_.log;
    std::string text(log.substr(0, log.find_last_not_of('\n') + 1));
    if (text.empty() || answer_.error != "NVRTC_ERROR_COMPILATION") {
      text += fmt::format("{}NVRTC {} ({}) ended with {}.", text.empty() ? "" : "\n", answer_.description.version,
                          setting_.library.path.string(), answer_.error);
    }
    base::fail(ErrorCode::compile_error, "{} does not compile:\n{}{}", setting_.unit.name, text,
               explain(log, setting_.headers));
  }

  bool is_seen() const {
    bool file = false, gap = false;
    for (const Question& question : answer_.questions) {
      file = file || (question.read && question.path == (folder_.path() / known_file).string());
      gap = gap || (!question.there && question.path == (folder_.path() / known_gap).string());
    }
    return file && gap;
  }

  // Only to know by which folders to name files: NVRTC has said itself where it looked.
  SearchPath search_path() const {
    SearchPath path;
    std::error_code ignored;
    for (const auto* folders : {&setting_.options.include_paths, &setting_.headers}) {
      for (const std::string& folder : *folders) {
        if (fs::is_directory(folder, ignored)) path.angled.push_back(folder);
      }
    }
    return path;
  }

  const Setting& setting_;
  base::TemporaryFolder folder_;
  timespec start_{};
  Answer answer_;
};

Setting make_setting(const Unit& unit, const CompileOptions& options) {
  Setting setting{unit, options, find_library(), {}, {}, {}};
  setting.headers = find_headers(setting.library);
  setting.words = options_for(options, setting.headers);
  setting.environment = environment(setting.library);
  return setting;
}

}  // namespace

CompileResult compile(const Unit& unit, const CompileOptions& options) {
  const Setting setting = make_setting(unit, options);
  const std::string key = cache_key(setting);
  if (auto entry = load_entry(key)) return {std::move(entry->ptx), std::move(entry->warnings), true};
  refuse_special_includes(unit, options);
  Compilation compilation(setting);
  std::string doubt;
  auto lookups = compilation.lookups(doubt);
  CompileResult result{std::move(compilation.answer().ptx), std::move(compilation.answer().log), false};
  if (lookups) {
    store_entry(key, {result.ptx, result.warnings, std::move(*lookups)});
  } else {
    base::log_info("the PTX of {} is not cached: {}", unit.name, doubt);
  }
  return result;
}

}  // namespace heddle::compile::nvrtc
