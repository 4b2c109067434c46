#include "batch/executor.hpp"

#include <string>

namespace heddle::batch {

Error with_place(const Error& error, const std::set<const Kernel*>& kernels) {
  const std::string text = error.what();
  std::set<std::string> named, all;
  for (const Kernel* const kernel : kernels) {
    if (kernel->spec().place.empty()) continue;
    all.insert(kernel->spec().place);
    if (text.find(kernel->entry()) != text.npos) named.insert(kernel->spec().place);
  }
  std::string places;
  for (const std::string& place : named.empty() ? all : named) places += (places.empty() ? "" : " or ") + place;
  return places.empty() ? error : Error(error.code(), places + ": " + text);
}

}  // namespace heddle::batch
