#include "base/kernel_name.hpp"

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

TEST(KernelName, PlainNamesStay) {
  EXPECT_EQ(readable_name("saxpy"), "saxpy");
  EXPECT_FALSE(source_name_matches("saxpy", "sax"));
}

// "v", "f" and "i" are mangled types, but no mangled names.
TEST(KernelName, NamesOfOneLetterAreNoTypes) {
  for (const char* name : {"v", "f", "i", "Pi"}) {
    EXPECT_EQ(demangled(name), name);
    EXPECT_EQ(readable_name(name), name);
  }
}

TEST(KernelName, VariablesAreTheProgramsOrOthers) {
  for (const char* name : {"scale", "_ZN3img5gammaE", "_ZZ1kPfPdE4stat", "__heddle", "$a"})
    EXPECT_EQ(maker_of_variable(name), Maker::program) << name;
  EXPECT_EQ(maker_of_variable("_ZN8__heddleL11two_over_piE"), Maker::heddle);
  for (const char* name : {"_$_str1", "__const_$__Z1kPfPd_$_tab", "__PRETTY_FUNCTION___$__Z1kPfPd"})
    EXPECT_EQ(maker_of_variable(name), Maker::compiler) << name;
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
}  // namespace heddle::base
