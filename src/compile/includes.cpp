#include "compile/includes.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/content.hpp"

namespace heddle::compile {
namespace {

bool starts_word(unsigned char c) { return std::isalpha(c) || c == '_' || c >= 0x80; }
bool continues_word(unsigned char c) { return starts_word(c) || std::isdigit(c); }

// The text without what may stand inside a word: a backslash at the end of a line joins it to the next (clang allows
// spaces between the two), and where trigraphs are on they stand for a backslash and a #, too.
std::string spliced(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("?\?=")) {
      result += '#';
      i += 2;
      continue;
    }
    const std::size_t behind = text[i] == '\\' ? i + 1 : text.substr(i).starts_with("?\?/") ? i + 3 : 0;
    const std::size_t end = behind == 0 ? text.npos : text.find_first_not_of(" \t\r\v\f", behind);
    if (end != text.npos && text[end] == '\n') {
      i = end;
    } else {
      result += text[i];
    }
  }
  return result;
}

bool needs_splicing(std::string_view text) { return text.find('\\') != text.npos || text.find("??") != text.npos; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Mentions run() {
    while (at_ < text_.size()) {
      if (!continues_word(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
        continue;
      }
      const std::size_t begin = at_;
      while (at_ < text_.size() && continues_word(static_cast<unsigned char>(text_[at_]))) ++at_;
      word(begin, text_.substr(begin, at_ - begin));
    }
    return std::move(result_);
  }

 private:
  void word(std::size_t begin, std::string_view word) {
    if (word == "include" || word == "import" || word == "__include_macros" || word == "include_next" ||
        word == "dependency") {
      directive(begin, word == "include_next");
    } else if (word == "__has_include" || word == "__has_include_next") {
      question(begin, word == "__has_include_next");
    } else if (word == "__DATE__" || word == "__TIME__" || word == "__TIMESTAMP__") {
      result_.unknowable = std::string(word);
    } else if ((word == "embed" && follows_hash(begin)) || word == "__has_embed") {
      result_.unknowable = "#embed";
    } else if (is_part_of_question(begin, word)) {
      result_.unknowable = "a part of the word __has_include (" + std::string(word) + ")";
    }
  }

  // A part that ## could make __has_include of, with what may be the other part behind it on the line.
  bool is_part_of_question(std::size_t begin, std::string_view word) const {
    constexpr std::string_view whole = "__has_include";
    if (word.size() > 7 && whole.ends_with(word)) return true;
    if (word.size() < 5 || !whole.starts_with(word)) return false;
    const std::string_view line = text_.substr(begin, text_.find('\n', begin) - begin);
    return line.find("include") != line.npos;
  }

  void directive(std::size_t begin, bool next) {
    const std::size_t open = skip_blanks(at_);
    if (name_at(open, next) || open >= text_.size() || !starts_word(static_cast<unsigned char>(text_[open]))) return;
    if (!follows_hash(begin)) return;
    if (next) {
      result_.unknowable = "#include_next of a macro";
    } else {
      result_.computed_include = true;
    }
  }

  void question(std::size_t begin, bool next) {
    const std::size_t open = skip_blanks(at_);
    if (open < text_.size() && text_[open] == '(') {
      if (!name_at(skip_blanks(open + 1), next)) result_.unknowable = "__has_include of a macro";
    } else if (in_definition(begin) && !(open < text_.size() && text_[open] == ')')) {
      result_.unknowable = "another name for __has_include";
    }
  }

  // Reads "name" or <name> at `open`.
  bool name_at(std::size_t open, bool next) {
    if (open >= text_.size() || (text_[open] != '"' && text_[open] != '<')) return false;
    const std::size_t end = text_.find_first_of(text_[open] == '"' ? "\"\n" : ">\n", open + 1);
    if (end == text_.npos || text_[end] == '\n' || end == open + 1) return false;
    Mention mention{std::string(text_.substr(open + 1, end - open - 1)), text_[open] == '"', next};
    if (std::find(result_.names.begin(), result_.names.end(), mention) == result_.names.end()) {
      result_.names.push_back(std::move(mention));
    }
    return true;
  }

  // Behind spaces and comments.
  std::size_t skip_blanks(std::size_t at) const {
    while (at < text_.size()) {
      if (text_[at] == ' ' || text_[at] == '\t' || text_[at] == '\v' || text_[at] == '\f') {
        ++at;
      } else if (text_.substr(at).starts_with("/*")) {
        at = text_.find("*/", at + 2);
        if (at == text_.npos) return text_.size();
        at += 2;
      } else {
        break;
      }
    }
    return at;
  }

  // A # that begins a directive stands before, or a comment that it may stand before.
  bool follows_hash(std::size_t at) const {
    std::string_view before = without_blanks(text_.substr(0, at));
    if (before.ends_with("*/")) return true;
    if (!before.ends_with('#') && !before.ends_with("%:")) return false;
    before.remove_suffix(before.ends_with('#') ? 1 : 2);
    before = without_blanks(before);
    return before.empty() || before.ends_with('\n') || before.ends_with("*/");
  }

  static std::string_view without_blanks(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\v' || text.back() == '\f')) {
      text.remove_suffix(1);
    }
    return text;
  }

  // On a line with `define`, or behind a comment that may have begun on one.
  bool in_definition(std::size_t at) const {
    const std::size_t newline = text_.substr(0, at).rfind('\n');
    const std::string_view line = text_.substr(0, at).substr(newline == text_.npos ? 0 : newline + 1);
    const std::size_t word = line.find("define");
    const bool defines = word != line.npos && !line.substr(word).starts_with("defined");
    return defines || line.find("*/") != line.npos;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Mentions result_;
};

}  // namespace

Mentions find_mentions(std::string_view source) {
  source = base::without_byte_order_mark(source);
  if (!needs_splicing(source)) return Scanner(source).run();
  const std::string text = spliced(source);
  return Scanner(text).run();
}

Mentions find_mentions_in_options(const std::vector<std::string>& options) {
  std::string source;
  for (std::size_t i = 0; i < options.size(); ++i) {
    for (const std::string_view option : {"-include", "-imacros", "-D"}) {
      if (!options[i].starts_with(option)) continue;
      std::string value = options[i].substr(option.size());
      if (value.empty() && i + 1 < options.size()) value = options[++i];
      source += option == "-D" ? "#define " + value + '\n' : "#include \"" + value + "\"\n";
      break;
    }
  }
  return find_mentions(source);
}

}  // namespace heddle::compile
