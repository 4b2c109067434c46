// The kernels of images.cu over one picture on one device, each timed and compared with the reference.
#pragma once

#include <functional>
#include <heddle/heddle.hpp>
#include <string>
#include <vector>

#include "picture.hpp"
#include "reference.hpp"

namespace images {

// What one kernel did.
struct Step {
  std::string kernel, what;      // its name, and what it is for in a few words
  double seconds = 0;            // median of the repeats
  double reference_seconds = 0;  // plain C++, one thread
  std::string check;             // "exact", "within 4.6e-05" (the largest difference), or what is wrong
  bool right = false;
};

struct NamedPicture {
  std::string name, caption;
  Picture picture;
};

struct Report {
  std::vector<Step> steps;
  std::vector<NamedPicture> pictures;
  reference::Statistics statistics;
  bool right() const;
};

// Hears of each kernel before it runs (no figures yet) and when its result has been compared.
struct Listener {
  std::function<void(const Step&)> begins, ends;
};

// Throws heddle::Error.
Report process(heddle::Runtime& runtime, heddle::Module& module, const std::string& device, const Picture& photo,
               int repeats, const Listener& listener);

}  // namespace images
