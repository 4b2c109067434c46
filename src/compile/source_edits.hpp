// Text with some places changed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::compile {

class SourceEdits {
 public:
  // `source` must outlive the object.
  explicit SourceEdits(std::string_view source) : source_(source) {}

  // Puts `text` in the place of [begin, end). Places ascend from call to call, and do not overlap.
  void replace(std::size_t begin, std::size_t end, std::string_view text) {
    made_ += source_.substr(taken_, begin - taken_);
    made_ += text;
    taken_ = end;
    any_ = true;
  }
  void insert(std::size_t at, std::string_view text) { replace(at, at, text); }

  // The whole text; std::nullopt if nothing was changed. The last call.
  std::optional<std::string> made() {
    if (!any_) return {};
    made_ += source_.substr(taken_);
    return std::move(made_);
  }

 private:
  const std::string_view source_;
  std::string made_;
  std::size_t taken_ = 0;  // what of the source is in made_
  bool any_ = false;
};

}  // namespace heddle::compile
