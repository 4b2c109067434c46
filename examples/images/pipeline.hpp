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
  std::string kernel;
  double seconds = 0;            // median of the repeats
  double reference_seconds = 0;  // plain C++, one thread
  std::string check;             // "exact", "within 0.001", or what is wrong
  bool right = false;
};

struct NamedPicture {
  std::string name;
  Picture picture;
};

struct Report {
  std::vector<Step> steps;
  std::vector<NamedPicture> pictures;
  reference::Statistics statistics;
  bool right() const;
};

// `progress` hears the name of each kernel before it runs. Throws heddle::Error.
Report process(heddle::Runtime& runtime, heddle::Module& module, const std::string& device, const Picture& photo,
               int repeats, const std::function<void(const std::string&)>& progress);

}  // namespace images
