// What one check of `heddle doctor` has found.
#pragma once

#include <string>
#include <utility>

namespace heddle::doctor {

enum class Mark {
  ok,
  missing,   // not there, and something that people expect does not work
  wrong,     // there, but set up so that it does not do what it should
  not_here,  // not there, and nothing is the matter: a machine without a GPU
};
// "ok", "missing", "wrong", "not here"
const char* name(Mark mark);

struct Finding {
  std::string subject;  // "CPU device"
  Mark mark = Mark::ok;
  std::string text;        // what there is, or why not: a sentence
  std::string mend;        // what to do about it: a sentence; empty where there is nothing to do
  bool essential = false;  // the main job does not work without it
};

inline Finding good(std::string subject, std::string text) {
  return {std::move(subject), Mark::ok, std::move(text), {}, false};
}

}  // namespace heddle::doctor
