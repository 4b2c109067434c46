// The names of files that a source asks for, read from its text.
//
// This need not understand the source; it must not miss a name. So a name counts wherever it follows a word that can
// ask for a file, in a comment or an untaken branch as well, and what the text does not determine is reported.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::compile {

struct Mention {
  std::string name;
  bool quoted = false;  // "name", else <name>
  bool next = false;    // #include_next, __has_include_next: the search may begin anywhere
  bool operator==(const Mention&) const = default;
};

struct Mentions {
  std::vector<Mention> names;  // each once
  // #include of a macro. Which file that was is found from the files that were read.
  bool computed_include = false;
  // What makes a result depend on more than can be listed, in words for a message; empty when nothing does: a macro in
  // __has_include, #embed, the time of day.
  std::string unknowable;
};

Mentions find_mentions(std::string_view source);

// Of options for clang: -include, -imacros, and what -D puts into sources.
Mentions find_mentions_in_options(const std::vector<std::string>& options);

}  // namespace heddle::compile
