#include "compat/list.hpp"

#include <charconv>
#include <regex>
#include <set>
#include <sstream>

#include "base/fail.hpp"
#include "base/file.hpp"

namespace heddle::bench {
namespace {

namespace fs = std::filesystem;

std::string trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const std::size_t begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(blank) - begin + 1));
}

class Parser {
 public:
  explicit Parser(const fs::path& root) : root_(fs::absolute(root).lexically_normal()) {}

  void line(std::string_view text) {
    ++number_;
    const std::string content = trimmed(text);
    if (content.empty() || content.front() == '#') return;
    const std::size_t colon = content.find(':');
    if (colon == std::string::npos) wrong("expected 'NAME: ...', found '{}'", content);
    const std::string key = trimmed(content.substr(0, colon)), value = trimmed(content.substr(colon + 1));
    if (text.front() == ' ' || text.front() == '\t') return setting(key, value);
    if (key == "title")
      list_.title = value;
    else if (key == "at least")
      list_.least_percent = number(value);
    else
      begin(key, value);
  }

  ProgramList done() {
    finish();
    if (list_.programs.empty()) wrong("the list has no program");
    if (list_.title.empty()) list_.title = (root_.has_filename() ? root_ : root_.parent_path()).filename().string();
    return std::move(list_);
  }

 private:
  template <typename... Args>
  [[noreturn]] void wrong(fmt::format_string<Args...> format, Args&&... args) const {
    base::fail(ErrorCode::invalid_argument, "line {} of the list of programs: {}", number_,
               fmt::format(format, std::forward<Args>(args)...));
  }

  double number(const std::string& text) const {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value > 0 && value < 1e6))
      wrong("'{}' is no number above 0", text);
    return value;
  }

  const std::string& regex(const std::string& text) const {
    try {
      (void)std::regex(text);
    } catch (const std::regex_error& error) {
      wrong("'{}' is no regular expression: {}", text, error.what());
    }
    return text;
  }

  void setting(const std::string& key, const std::string& value) {
    if (now_ == nullptr) wrong("'{}' belongs to no program", key);
    if (key == "passes")
      now_->passes = regex(value);
    else if (key == "fails")
      now_->fails = regex(value);
    else if (key == "seconds")
      now_->seconds = number(value);
    else if (key == "folder")
      now_->folder = root_ / value;
    else if (key == "exit")
      now_->exit_code = exit_code(value);
    else if (key == "group" && now_ == &defaults_)
      now_->group = value;
    else
      wrong("'{}' is no setting: passes, fails, exit, seconds, folder; group in '*:'", key);
  }

  int exit_code(const std::string& text) const {
    int value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value > 255)
      wrong("'{}' is no exit code", text);
    return value;
  }

  void begin(const std::string& name, const std::string& value) {
    finish();
    if (name == "*") {
      if (!value.empty()) wrong("'*:' stands alone, with indented settings below it");
      now_ = &defaults_;
      return;
    }
    if (!names_.insert(name).second) wrong("there are two programs '{}'", name);
    program_ = defaults_;
    program_.name = name;
    now_ = &program_;
    constexpr std::string_view left_out = "left out:";
    if (value.starts_with(left_out)) {
      program_.left_out = trimmed(value.substr(left_out.size()));
      if (program_.left_out.empty()) wrong("'{}' is left out without a reason", name);
      return;
    }
    std::vector<std::string> command = words(value);
    if (command.empty()) wrong("'{}' has no command", name);
    program_.file = root_ / command.front();
    program_.arguments.assign(command.begin() + 1, command.end());
  }

  // Ends the program that the lines so far were about.
  void finish() {
    if (now_ == &program_) {
      if (program_.folder.empty()) program_.folder = program_.file.parent_path();
      list_.programs.push_back(std::move(program_));
    }
    now_ = nullptr;
  }

  std::vector<std::string> words(const std::string& text) const {
    std::vector<std::string> found;
    bool open = false;  // within a word
    char quote = 0;
    for (const char c : text) {
      if (quote == 0 && (c == ' ' || c == '\t')) {
        open = false;
        continue;
      }
      if (!open) found.emplace_back();
      open = true;
      if (c == quote)
        quote = 0;
      else if (quote == 0 && (c == '"' || c == '\''))
        quote = c;
      else
        found.back() += c;
    }
    if (quote != 0) wrong("a quote is not closed");
    return found;
  }

  fs::path root_;
  ProgramList list_;
  Program defaults_, program_;
  Program* now_ = nullptr;
  std::set<std::string> names_;
  int number_ = 0;
};

}  // namespace

ProgramList parse_program_list(std::string_view text, const fs::path& root) {
  Parser parser(root);
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) parser.line(line);
  return parser.done();
}

ProgramList read_program_list(const fs::path& folder) {
  return parse_program_list(base::read_file(folder / "programs.txt"), folder);
}

}  // namespace heddle::bench
