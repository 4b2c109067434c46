#include "base/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace heddle::base {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return result;
}

}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last, last(to.size() + 1), row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (from[i - 1] != to[j - 1] ? 1 : 0)});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[to.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  const std::string wanted = lower(word);
  std::string best;
  // A third of the letters wrong: more is another word. Long texts are no mistyped names.
  if (wanted.size() > 200) return best;
  std::size_t least = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > 200) continue;
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    // Of "i3" nothing is left that "f6" would have in common.
    if (distance >= least || distance >= wanted.size()) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string meant = nearest(word, candidates);
  return meant.empty() ? std::string() : "; did you mean '" + meant + "'?";
}

std::string before_list(std::string_view word, std::span<const std::string> candidates, std::string_view have) {
  const std::string meant = did_you_mean(word, candidates);
  if (meant.empty()) return "; " + std::string(have);
  std::string sentence(have);
  sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  return meant + " " + sentence;
}

}  // namespace heddle::base
