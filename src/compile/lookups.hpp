// What a compilation found in the file system, and which lookups failed.
//
// The result of a compilation is the same again while everything that clang asked of the file system has the same
// answer. That is more than the headers that it read: a file that now stands in an earlier folder of the search path
// takes the place of one in a later folder. So the record has, for every name that any of the sources read asks for,
// what lies under that name in each folder up to the first where there is a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/fields.hpp"

namespace heddle::compile {

// The answers. Every index is one into the same record.
struct Lookups {
  static constexpr std::uint32_t none = 0xffffffff;

  // A folder as clang names it, "" for the working folder; `same` is the first that is the same folder by another name
  // (or itself), `none` where there is no folder. Clang passes over a folder that it has already.
  struct Folder {
    std::string path;
    std::uint32_t same = none;
  };
  // What lies under a name in a folder: "-" no file, "!" no folder (so no file below that name either), "+" a file that
  // was not read, else its fingerprint. `same` as for folders: #pragma once and #import go by the file, not by its
  // name.
  struct Place {
    std::uint32_t folder = 0;
    std::string name;
    std::string state;
    std::uint32_t same = none;
  };
  // Which names a folder has, as listing() says.
  struct Listing {
    std::string path;
    std::string names;
  };
  std::vector<Folder> folders;
  std::vector<Place> places;
  std::vector<Listing> listings;
};

inline constexpr const char* absent = "-";
inline constexpr const char* no_folder = "!";
inline constexpr const char* present = "+";

// The present state of a file: a hash of its content, or, for the system's headers, whose number is large and which
// change only with their package, size and time. `like` is an earlier answer to compare with: the same kind of answer
// is given, and for "-" and "+" just one of these.
std::string state_of(const std::string& path, std::string_view like);
// The same with the kind that suits the file.
std::string fingerprint(const std::string& path);

// The names in a folder, hashed; "" where there is no folder.
std::string listing(const std::string& path);

// Puts in every `same`. False when something is not there any more.
bool identify(Lookups& lookups);

// True while every answer is still the same. Does not throw.
bool still_true(const Lookups& lookups);

// As text, for files.
void append(std::string& to, const Lookups& lookups);
// Takes them from the front of `from`; nothing when they are damaged.
std::optional<Lookups> take_lookups(std::string_view& from);

}  // namespace heddle::compile
