#include "compile/special_includes.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "compile/clang.hpp"
#include "compile/environment.hpp"
#include "compile/includes.hpp"
#include "compile/observer.hpp"

namespace heddle::compile {
namespace {

const char* kind_of(mode_t mode) { return S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device"; }

bool is_null_device(const struct stat& status) {
  constexpr unsigned memory_devices = 1, null = 3;
  return S_ISCHR(status.st_mode) && status.st_rdev == makedev(memory_devices, null);
}

// The texts of #define lines, any of which may be what #include of a macro names.
std::vector<Mention> texts_of_definitions(std::string_view source) {
  std::vector<Mention> names;
  for (std::size_t at = source.find("define"); at != source.npos; at = source.find("define", at + 1)) {
    const std::string_view line = source.substr(at, source.find('\n', at) - at);
    const std::size_t open = line.find_first_of("\"<");
    if (open == line.npos) continue;
    const std::size_t close = line.find(line[open] == '"' ? '"' : '>', open + 1);
    if (close != line.npos) names.push_back({std::string(line.substr(open + 1, close - open - 1)), true});
  }
  return names;
}

class Search {
 public:
  Search(std::string source, const CompileOptions& options)
      : source_(std::move(source)), folders_(environment_include_paths()) {
    for (const std::string& folder : named_folders(options)) folders_.push_back(folder);
  }

  void look(std::string_view text, const std::string& folder) {
    look(find_mentions(text), text, folder);
    while (!found_.empty()) {
      const std::string file = std::move(found_.back());
      found_.pop_back();
      if (const auto content = base::read_file_if_there(file)) look(find_mentions(*content), *content, folder_of(file));
    }
  }

 private:
  void look(const Mentions& mentions, std::string_view text, const std::string& folder) {
    for (const Mention& mention : mentions.names) look_up(mention, folder);
    if (!mentions.computed_include) return;
    for (const Mention& mention : texts_of_definitions(text)) look_up(mention, folder);
  }

  void look_up(const Mention& mention, const std::string& folder) {
    if (mention.name.starts_with('/')) return static_cast<void>(is_found(mention.name));
    if (mention.quoted && is_found(folder.empty() ? mention.name : folder + '/' + mention.name)) return;
    std::any_of(folders_.begin(), folders_.end(),
                [&](const std::string& each) { return is_found(each + '/' + mention.name); });
  }

  // Whether a compiler would take this one.
  bool is_found(const std::string& file) {
    struct stat status{};
    if (::stat(file.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return false;
    if (!S_ISREG(status.st_mode) && !is_null_device(status))
      base::fail(ErrorCode::invalid_argument, "{} does not compile: it includes {}, which is {}; a file is expected",
                 source_, file, kind_of(status.st_mode));
    if (seen_.emplace(status.st_dev, status.st_ino).second) found_.push_back(file);
    return true;
  }

  const std::string source_;
  std::vector<std::string> folders_;
  std::vector<std::string> found_;  // files that are still to be read
  std::set<std::pair<dev_t, ino_t>> seen_;
};

}  // namespace

void refuse_special_includes(const Unit& unit, const CompileOptions& options) {
  Search search(unit.name, options);
  std::string forced;
  for (const Mention& mention : find_mentions_in_options(options.extra).names)
    forced += "#include \"" + mention.name + "\"\n";
  search.look(forced + definitions(options), {});
  search.look(unit.source, folder_of(unit.name));
}

}  // namespace heddle::compile
