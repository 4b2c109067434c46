// Protection of files that a timeline would replace.
#pragma once

#include <filesystem>
#include <string_view>

namespace heddle::base {

// Whether a file that begins with `text` is a timeline that Heddle has written, whole or cut off: the JSON of
// trace::Recorder, or the picture or the graph that is made of it. So is one that is empty or only claimed
// (trace_claim.hpp).
bool is_timeline(std::string_view text);

// Throws invalid_argument if there is a regular file that is no timeline of Heddle's: somebody's notes, which a
// timeline would replace. `option` is for the message, as "--trace". Throws io_error if the file cannot be read.
void refuse_to_replace_by_timeline(std::string_view option, const std::filesystem::path& file);

}  // namespace heddle::base
