// Where Heddle keeps its caches, and which folders it does not use for them.
//
// What is read from a cache is executed, so a folder counts only while nobody else can put files into it. This is the
// one home of that rule, for every cache and however its folder was chosen: the folder belongs to this user or to root
// (who could change this program as well), and neither group nor others may write to it. When root runs Heddle, only
// root's own folders count. A link must belong to this user or to root, too.
#pragma once

#include <filesystem>
#include <string>

namespace heddle::base {

// $HEDDLE_CACHE_DIR, else $XDG_CACHE_HOME/heddle, else ~/.cache/heddle, else heddle-<uid> in the folder for temporary
// files. Not created here.
std::filesystem::path cache_directory();

// Why `folder` cannot be trusted and how to mend that, as a sentence; empty when it can be, or is not there.
std::string distrust(const std::filesystem::path& folder);

// True when files in `folder` may be used. Looks at `folder`, and where it lies in cache_directory() at every folder
// from there on down; those that are missing are no reason against it. Where the answer is no, a warning says why, once
// for each reason in the life of the process. Never throws. Any thread.
bool may_use_cache(const std::filesystem::path& folder);

// Makes `folder` and its missing parents, those from cache_directory() on for this user alone, and answers as
// may_use_cache. False as well where it cannot be made.
bool make_cache(const std::filesystem::path& folder);

}  // namespace heddle::base
