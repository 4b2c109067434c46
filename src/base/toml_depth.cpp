#include "base/toml_depth.hpp"

#include <algorithm>
#include <vector>

namespace heddle::base {
namespace {

class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  std::size_t line_of_deep_key() {
    while (at_ < text_.size()) {
      step();
      if (around_ + parts_ > most_key_parts) return line();
    }
    return 0;
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      part();
      return skip_string(c);
    }
    ++at_;
    switch (c) {
      case ' ':
      case '\t': in_word_ = false; break;
      case '.':
        after_dot_ = true;
        in_word_ = false;
        break;
      case '#': at_ = std::min(text_.find('\n', at_), text_.size()); break;
      case '=':  // the key is kept for a table that may follow
        in_word_ = false;
        break;
      case '[':
      case '{': enter(); break;
      case ']':
      case '}': leave(); break;
      case '\n':
      case ',': end_key(); break;
      default: part(); in_word_ = true;
    }
  }

  // A part of a key, or a value, begins or goes on.
  void part() {
    if (in_word_) return;
    parts_ = after_dot_ ? parts_ + 1 : 1;
    after_dot_ = false;
  }

  // An inline table, an array or a header.
  void enter() {
    around_ += parts_;
    outer_.push_back(parts_);
    end_key();
  }

  void leave() {
    if (!outer_.empty()) {
      around_ -= outer_.back();
      outer_.pop_back();
    }
    end_key();
  }

  void end_key() {
    parts_ = 0;
    in_word_ = after_dot_ = false;
  }

  // Escapes have a meaning between double quotes only; between three quotes a text may have lines.
  void skip_string(char quote) {
    in_word_ = false;
    const std::string_view three = quote == '"' ? "\"\"\"" : "'''";
    const bool is_long = text_.substr(at_).starts_with(three);
    at_ += is_long ? three.size() : 1;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\' && quote == '"') {
        ++at_;
      } else if (is_long ? text_.substr(at_).starts_with(three) : text_[at_] == quote || text_[at_] == '\n') {
        at_ += is_long ? three.size() : text_[at_] == quote ? 1 : 0;
        return;
      }
    }
  }

  std::size_t line() const {
    const std::string_view before = text_.substr(0, std::min(at_, text_.size()));
    return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::size_t parts_ = 0;           // of the key at `at_`
  bool in_word_ = false;            // within a part without quotes
  bool after_dot_ = false;          // the next part belongs to the same key
  std::vector<std::size_t> outer_;  // the parts of the keys of inline tables and arrays around
  std::size_t around_ = 0;          // their sum
};

}  // namespace

std::size_t line_of_deep_key(std::string_view text) { return Scan(text).line_of_deep_key(); }

}  // namespace heddle::base
