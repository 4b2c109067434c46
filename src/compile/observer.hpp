// Collects what a compilation found in the file system, and what it looked for in vain.
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

// Used after the compilation, it asks the file system what the compiler asked before. What has changed in between is
// noticed, and then there is no record.
class Observer {
 public:
  // `start` is from start_of_observation(), before the compilation. `own` are folders whose files are Heddle's and are
  // not recorded.
  Observer(const SearchPath& path, timespec start, std::vector<std::string> own);

  // Answers that were found true after `start`, before clang was asked. First of all, if at all.
  void know(const Lookups& lookups);
  // Files below this folder are told by size and time, as those of the system: they are many, and change only together.
  void trust_times_below(const std::string& folder);
  // The compiler takes the C++ library of an installed gcc: which of them there are counts.
  void list_compilers();
  // The compiler read this file. All of these before the names.
  void read(const std::string& path);
  // The compiler asked whether there is such a file, did not read it, and found one or none.
  void asked(const std::string& path, bool there);
  // A source in `folder` ("" for the working folder) has these names.
  void look_up(const Mentions& mentions, const std::string& folder);

  // The record, or nothing where the answers are not sure; then `doubt` says why.
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
