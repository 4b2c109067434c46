#include "base/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

namespace heddle::base {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return result;
}

// Long texts are no mistyped names.
constexpr std::size_t longest = 200;

// A third of the letters wrong: more is another word.
std::size_t most_errors(std::string_view word) { return std::max<std::size_t>(1, word.size() / 3); }

// How far apart two words are; none: too far for one to be the other mistyped.
std::optional<std::size_t> errors_between(std::string_view word, std::string_view candidate) {
  const std::size_t errors = edit_distance(word, candidate);
  // Of "i3" nothing is left that "f6" would have in common.
  if (errors > most_errors(word) || (errors > 0 && errors >= word.size())) return {};
  return errors;
}

// The candidates with the least value of `distance`.
template <class Distance>
std::vector<std::string> with_least(std::span<const std::string> candidates, const Distance& distance) {
  std::vector<std::string> found;
  std::size_t least = 0;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest) continue;
    const auto own = distance(lower(candidate));
    if (!own || (!found.empty() && *own > least)) continue;
    if (!found.empty() && *own < least) found.clear();
    least = *own;
    found.push_back(candidate);
  }
  return found;
}

std::vector<std::string> with_fewest_errors(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > longest) return {};
  return with_least(candidates, [wanted = lower(word)](const std::string& to) { return errors_between(wanted, to); });
}

std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("_-:. "), name.size());
    if (end > 0) parts.push_back(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return parts;
}

// Short parts have no letter to spare: "ir" is not meant by "dir".
std::optional<std::size_t> errors_of_part(std::string_view part, std::string_view candidate) {
  if (part == candidate) return 0;
  if (part.size() >= 3 && candidate.starts_with(part)) return 1;
  return part.size() >= 4 ? errors_between(part, candidate) : std::nullopt;
}

// Whether the parts of `few` are in `many`, in this order; the number of errors.
std::optional<std::size_t> errors_within(std::span<const std::string_view> few,
                                         std::span<const std::string_view> many) {
  std::size_t errors = 0, next = 0;
  for (const std::string_view part : few) {
    std::optional<std::size_t> own;
    while (!own && next < many.size()) own = errors_of_part(part, many[next++]);
    if (!own) return {};
    errors += *own;
  }
  return errors;
}

std::vector<std::string> with_the_same_parts(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > longest) return {};
  const std::string wanted = lower(word);
  const std::vector<std::string_view> parts = parts_of(wanted);
  if (parts.empty()) return {};
  return with_least(candidates, [&parts](const std::string& candidate) -> std::optional<std::size_t> {
    const std::vector<std::string_view> others = parts_of(candidate);
    if (others.empty()) return {};
    const bool shorter = parts.size() <= others.size();
    const auto errors = shorter ? errors_within(parts, others) : errors_within(others, parts);
    if (!errors) return {};
    const std::size_t more = shorter ? others.size() - parts.size() : parts.size() - others.size();
    return longest * *errors + more;  // first by errors
  });
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

std::vector<std::string> meant_by(std::string_view word, std::span<const std::string> candidates) {
  std::vector<std::string> found = with_fewest_errors(word, candidates);
  return found.empty() ? with_the_same_parts(word, candidates) : found;
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  const std::vector<std::string> similar = with_fewest_errors(word, candidates);
  if (!similar.empty()) return similar.front();
  const std::vector<std::string> related = with_the_same_parts(word, candidates);
  return related.size() == 1 ? related.front() : std::string();
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
