#include "compile/program_files.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
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

bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Takes blanks and the word behind them from the front.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const auto end = std::find_if_not(text.begin(), text.end(), is_in_word);
  const std::string_view word(text.data(), static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(word.size());
  return word;
}

// What macros say, and which of them are included.
struct Macros {
  std::map<std::string, std::set<std::string>, std::less<>> values;
  std::set<std::pair<std::string, std::string>> included;  // the macro, and the folder of the source

  void add(std::string_view source, const std::string& folder) {
    for (std::size_t at = source.find('#'); at != source.npos; at = source.find('#', at + 1)) {
      std::string_view line = source.substr(at + 1, source.find('\n', at) - at - 1);
      const std::string_view directive = take_word(line), name = take_word(line);
      if (name.empty()) continue;
      if (directive == "include" || directive == "import")
        included.emplace(name, folder);
      else if (directive == "define")
        values[std::string(name)].emplace(line);
    }
  }
  // The names of files that the macro may stand for.
  void resolve(std::string_view macro, std::set<std::string>& names, int depth) const {
    constexpr int deepest = 16;
    const auto found = values.find(macro);
    if (found == values.end() || depth == deepest) return;
    for (std::string_view value : found->second) {
      if (const std::string_view word = take_word(value); !word.empty()) {
        resolve(word, names, depth + 1);
        continue;
      }
      const std::size_t end = value.empty() ? value.npos : value.find(value[0] == '<' ? '>' : '"', 1);
      if (end != value.npos && end > 1 && (value[0] == '<' || value[0] == '"')) names.emplace(value.substr(1, end - 1));
    }
  }
};

class Search {
 public:
  Search(std::string source, const CompileOptions& options, const VisitFile& visit)
      : source_(std::move(source)), visit_(visit), folders_(environment_include_paths()) {
    for (const std::string& folder : named_folders(options)) folders_.push_back(folder);
  }

  // Of a source that lies in the folder.
  void add(std::string_view text, const std::string& folder) {
    const Mentions mentions = find_mentions(text);
    for (const Mention& mention : mentions.names) look_up(mention, folder);
    macros_.add(text, folder);
  }

  // With all that the sources include.
  void run() {
    add_found();
    // Where a macro is defined, and where it is included, may be different files.
    for (std::size_t before = ~std::size_t{0}; before != seen_.size();) {
      before = seen_.size();
      const Macros macros = macros_;
      for (const auto& [macro, folder] : macros.included) {
        std::set<std::string> names;
        macros.resolve(macro, names, 0);
        for (const std::string& name : names) look_up({name, true}, folder);
      }
      add_found();
    }
  }

 private:
  void add_found() {
    while (!found_.empty()) {
      const std::string file = std::move(found_.back());
      found_.pop_back();
      const auto content = base::read_file_if_there(file);
      if (!content) continue;
      visit_(file, *content);
      add(*content, folder_of(file));
    }
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
    if (!names_.insert(file).second) return true;
    if (seen_.emplace(status.st_dev, status.st_ino).second)
      found_.push_back(file);
    else if (const auto content = base::read_file_if_there(file))
      visit_(file, *content);  // by another name
    return true;
  }

  const std::string source_;
  const VisitFile& visit_;
  std::vector<std::string> folders_;
  std::vector<std::string> found_;  // files that are still to be read
  Macros macros_;
  std::set<std::pair<dev_t, ino_t>> seen_;
  std::set<std::string> names_;
};

}  // namespace

void visit_program_files(const Unit& unit, const CompileOptions& options, const VisitFile& visit) {
  Search search(unit.name, options, visit);
  std::string forced = definitions(options);
  for (const Mention& mention : find_mentions_in_options(options.extra).names)
    forced += "#include \"" + mention.name + "\"\n";
  for (const std::string& word : options.extra) {
    if (!word.starts_with("-D")) continue;
    forced += "#define " + word.substr(2) + '\n';
    if (const std::size_t equals = forced.rfind('='); equals != forced.npos && equals > forced.rfind("#define"))
      forced[equals] = ' ';
  }
  search.add(forced, {});
  visit(unit.name, unit.source);
  search.add(unit.source, folder_of(unit.name));
  search.run();
}

}  // namespace heddle::compile
