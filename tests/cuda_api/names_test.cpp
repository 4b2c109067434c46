// Every name that NVIDIA's libcudart exports is exported by Heddle's of the same version, with the same symbol version.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/places.hpp"

namespace heddle::tests {
namespace {

struct Version {
  const char *list, *library, *symbols;
};

class Names : public testing::TestWithParam<Version> {
 protected:
  void find_all(const std::string& list, int least) {
    const std::string path = std::string(HEDDLE_CUDA_LIBRARIES) + "/" + GetParam().library;
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    std::ifstream names(test_data() / "cuda_api/names" / (list + "_" + GetParam().list + ".txt"));
    ASSERT_TRUE(names);
    int count = 0;
    for (std::string name; std::getline(names, name); ++count)
      EXPECT_NE(dlvsym(library, name.c_str(), GetParam().symbols), nullptr) << name;
    EXPECT_GE(count, least);
  }
};

TEST_P(Names, AllAreThere) { find_all("libcudart", 290); }

INSTANTIATE_TEST_SUITE_P(Versions, Names,
                         testing::Values(Version{"11", "libcudart.so.11.0", "libcudart.so.11.0"},
                                         Version{"12", "libcudart.so.12", "libcudart.so.12"},
                                         Version{"13", "libcudart.so.13", "libcudart.so.13"}),
                         [](const auto& info) { return std::string("Cuda") + info.param.list; });

}  // namespace
}  // namespace heddle::tests
