#include "base/timeline_file.hpp"

#include "base/fail.hpp"
#include "base/file.hpp"

namespace heddle::base {
namespace {

// What trace::Recorder, trace::picture() and trace::dot() write first; tests compare.
constexpr std::string_view no_events = "[\n]\n", first_event = "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,";
constexpr std::string_view picture = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"";
constexpr std::string_view letters = " font-family=\"Helvetica, Arial, sans-serif\" font-size=\"11\">";
constexpr std::string_view graph = "digraph tasks {\n  node [style=filled, fontname=\"sans-serif\", fontsize=11];\n";

// A file that was cut off while its beginning was written has a part of it.
bool begins(std::string_view text, std::string_view with) { return text.starts_with(with) || with.starts_with(text); }

}  // namespace

bool is_timeline(std::string_view text) {
  constexpr std::size_t claim = 1;
  if (text.size() <= claim || text == no_events || begins(text, first_event) || begins(text, graph)) return true;
  return begins(text, picture) && (text.size() < picture.size() || text.substr(0, text.find('\n')).ends_with(letters));
}

void refuse_to_replace_by_timeline(std::string_view option, const std::filesystem::path& file) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return;
  constexpr std::size_t some = 4096;
  if (is_timeline(read_beginning(file, some))) return;
  fail(ErrorCode::invalid_argument,
       "{} {}: the timeline would replace this file, which is no timeline that Heddle has written; name another file, "
       "or remove this one. Nothing was written.",
       option, file.string());
}

}  // namespace heddle::base
