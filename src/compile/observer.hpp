// Collects what a compilation found in the file system, and which lookups failed.
#pragma once

#include <time.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compile/includes.hpp"
#include "compile/lookups.hpp"
#include "compile/search_path.hpp"

namespace heddle::compile {

// Waits until files that are written from now on have a later time than those written before, a few milliseconds, and
// gives that time.
timespec start_of_observation();

// Used after the compilation, it repeats the compiler's lookups. Changes in between are detected, and then there is no
// record.
class Observer {
 public:
  // `start` is from start_of_observation(), before the compilation. `own` are folders whose files are Heddle's and are
  // not recorded.
  Observer(const SearchPath& path, timespec start, std::vector<std::string> own);

  // Answers that were verified after `start`, before clang ran. The first call, if made at all.
  void know(const Lookups& lookups);
  // Files below this folder are identified by size and time, as those of the system: they are many, and change only
  // together.
  void trust_times_below(const std::string& folder);
  // The compiler takes the C++ library of an installed gcc: the result depends on which are installed.
  void list_compilers();
  // The compiler read this file. All of these before the names.
  void read(const std::string& path);
  // The compiler looked the file up without reading it; `there`: it exists.
  void asked(const std::string& path, bool there);
  // A source in `folder` ("" for the working folder) has these names.
  void look_up(const Mentions& mentions, const std::string& folder);

  // The record, or nothing where answers are uncertain; then `doubt` has the reason.
  std::optional<Lookups> finish(std::string& doubt);

 private:
  using Key = std::pair<std::uint32_t, std::string>;  // folder and name

  void expect_folders(const std::vector<std::string>& folders, bool there);
  std::uint32_t folder_index(const std::string& path);
  Key key_of(const std::string& path);
  const std::string& answer(const std::string& folder, const std::string& name);
  std::string sure_state(const std::string& path, std::string_view like);
  void look_up(const Mention& mention, const std::string& folder);
  void look_up_names_of_all_read(const std::string& folder);
  void check_order(const Mention& mention, std::size_t found);
  void shorten();
  bool is_own(const std::string& path) const;
  bool is_steady(const std::string& path) const;
  void doubt(const std::string& reason);

  std::vector<std::string> quoted_, angled_;  // the search path
  const timespec start_;
  const std::vector<std::string> own_;
  std::vector<std::string> folders_;
  std::map<std::string, std::uint32_t> folder_indices_;
  std::map<Key, std::string> answers_;
  std::set<std::string> read_;
  std::vector<std::string> steady_;
  std::vector<Lookups::Listing> listings_;
  std::string doubt_;
};

// The folder in which a file lies, "" for the working folder. Paths without ./ in front, as clang writes some.
std::string folder_of(const std::string& path);
std::string without_dot(std::string path);

}  // namespace heddle::compile
