#include "runtime/kernel_name.hpp"

#include <gtest/gtest.h>

namespace heddle::runtime {
namespace {

TEST(KernelName, PlainNamesStay) {
  EXPECT_EQ(readable_name("saxpy"), "saxpy");
  EXPECT_FALSE(source_name_matches("saxpy", "sax"));
}

TEST(KernelName, MangledNamesMatchWhatTheSourceSays) {
  EXPECT_EQ(readable_name("_Z4blurPfi"), "_Z4blurPfi (blur(float*, int))");
  EXPECT_TRUE(source_name_matches("_Z4blurPfi", "blur"));
  EXPECT_TRUE(source_name_matches("_Z4blurPfi", "blur(float*, int)"));
  EXPECT_FALSE(source_name_matches("_Z4blurPfi", "blu"));
}

TEST(KernelName, ParametersWithAndWithoutTheRest) {
  const std::string name = "_ZN3img5scaleIfEEvPT_i";  // void img::scale<float>(float*, int)
  for (const char* wanted :
       {"void img::scale<float>(float*, int)", "img::scale<float>(float*, int)", "scale<float>(float*, int)",
        "scale<float>(float *,int)", "scale(float*, int)", "img::scale(float*, int)", "scale< float >"}) {
    EXPECT_TRUE(source_name_matches(name, wanted)) << wanted;
  }
  for (const char* wanted : {"scale<float>(float*)", "scale<float>(float*, unsigned int)", "(float*, int)", "",
                             "sca le<float>", "void img::scale<double>(float*, int)"}) {
    EXPECT_FALSE(source_name_matches(name, wanted)) << wanted;
  }
  EXPECT_TRUE(source_name_matches("_Z1kPKjm", "k(unsigned int const *, unsigned long)"));
  EXPECT_FALSE(source_name_matches("_Z1kPKjm", "k(unsignedint const*, unsigned long)"));
}

TEST(KernelName, NamespacesAndTemplates) {
  const std::string name = "_ZN3img5scaleIfEEvPT_i";  // void img::scale<float>(float*, int)
  for (const char* wanted : {"img::scale<float>", "scale<float>", "img::scale", "scale"}) {
    EXPECT_TRUE(source_name_matches(name, wanted)) << wanted;
  }
  EXPECT_FALSE(source_name_matches(name, "img"));
  EXPECT_FALSE(source_name_matches(name, "scale<double>"));
  EXPECT_TRUE(source_name_matches("_ZN12_GLOBAL__N_14blurEPf", "blur"));
}

}  // namespace
}  // namespace heddle::runtime
