#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/fixture.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ModuleTest : public RuntimeTest {
 protected:
  std::string error_for(const char* name) {
    try {
      module_->kernel(name);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::not_found);
      return error.what();
    }
    return "found";
  }
};

TEST_F(ModuleTest, KernelsByNameAndBySourceName) {
  start({"near"});
  EXPECT_EQ(module_->kernel("add_to").name(), "add_to");
  EXPECT_EQ(module_->kernel("structure").name(), "_Z9structure5Plane");
  EXPECT_EQ(module_->kernel("blur<float>").name(), "_Z4blurIfEvPT_");
  EXPECT_THAT(error_for("nothing"), HasSubstr("copy_first, add_to, _Z9structure5Plane (structure(Plane))"));
  EXPECT_EQ(module_->kernel("blur<float>(float*)").name(), "_Z4blurIfEvPT_");
  EXPECT_EQ(module_->kernel_names().size(), 11u);
}

TEST_F(ModuleTest, NamesThatFitSeveralListOnlyThose) {
  start({"near"});
  EXPECT_THAT(
      error_for("blur"),
      AllOf(HasSubstr("'blur' fits 2 kernels of test.ptx"), HasSubstr("_Z4blurIfEvPT_ (void blur<float>(float*)"),
            HasSubstr("_Z4blurIdEvPT_"), Not(HasSubstr("add_to")), Not(HasSubstr("structure"))));
}

TEST_F(ModuleTest, ParametersHaveTypesAndOffsets) {
  start({"near"});
  const KernelInfo& info = module_->kernel("add_to").info();
  ASSERT_EQ(info.parameters.size(), 3u);
  EXPECT_EQ(info.parameters[0].type, "u32");
  EXPECT_EQ(info.parameters[1].offset, 4u);
  EXPECT_EQ(info.parameters[2].offset, 8u);
  EXPECT_EQ(info.parameters[2].size, 8u);
  EXPECT_TRUE(info.parameters[2].pointer);
  EXPECT_FALSE(info.parameters[0].pointer);
  EXPECT_EQ(info.parameters[2].access, Access::read_write);
  EXPECT_EQ(module_->kernel("copy_first").info().parameters[1].access, Access::read);
  EXPECT_EQ(module_->kernel("copy_first").info().parameters[2].access, Access::write);
  EXPECT_EQ(module_->kernel("structure").info().parameters[0].type, "b8[24]");
}

TEST_F(ModuleTest, VariablesAreCopied) {
  start({"near"});
  module_->set_variable("coefficients", std::array<float, 4>{1, 2, 3, 4});
  const float second[] = {20};
  module_->write_variable("coefficients", 4, std::as_bytes(std::span(second)));
  EXPECT_EQ((module_->variable<std::array<float, 4>>("coefficients")), (std::array<float, 4>{1, 20, 3, 4}));
  EXPECT_THROW(module_->write_variable("coefficients", 16, std::as_bytes(std::span(second))), Error);
  EXPECT_THROW((module_->variable<std::array<float, 5>>("coefficients")), Error);
  EXPECT_THROW(module_->variable<float>("none"), Error);
}

TEST_F(ModuleTest, VariablesTakeValuesOfTheirType) {
  start({"near"});
  const VariableType type = module_->variable_type("img::scale");
  EXPECT_EQ(type.element, ElementType::f32);
  EXPECT_FALSE(type.is_array);
  EXPECT_EQ(type.bytes, 4u);
  EXPECT_TRUE(module_->variable_type("coefficients").is_array);
  const auto refused = [&](const auto& value) -> std::string {
    try {
      module_->set_variable("scale", value);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      return error.what();
    }
    return "taken";
  };
  EXPECT_THAT(refused(2), HasSubstr("variable 'scale' of test.ptx is of type float; a value of 32-bit integers"));
  EXPECT_THAT(refused(2.0), HasSubstr("a value of double"));
  EXPECT_THAT(refused('a'), HasSubstr("has 4 bytes, and the value 1"));
  EXPECT_THROW(module_->variable<int>("scale"), Error);
  EXPECT_THROW(module_->variable_type("none"), Error);
  const std::array<int, 1> bits = {0x40000000};  // meant
  module_->write_variable("scale", 0, std::as_bytes(std::span(bits)));
  EXPECT_EQ(module_->variable<float>("scale"), 2.0f);
}

TEST_F(ModuleTest, VariablesBySourceName) {
  start({"near"});
  for (const char* name : {"scale", "img::scale", "_ZN3img5scaleE"}) {
    EXPECT_NO_THROW(module_->set_variable(name, 2.0f)) << name;
    EXPECT_EQ(module_->variable<float>(name), 2.0f);
  }
  const auto error_for = [&](const char* name) -> std::string {
    try {
      module_->variable<float>(name);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::not_found);
      return error.what();
    }
    return "found";
  };
  EXPECT_THAT(error_for("gamma"),
              AllOf(HasSubstr("'gamma' fits 2 variables of test.ptx"),
                    HasSubstr("_ZN3img5gammaE (img::gamma), _ZN3raw5gammaE (raw::gamma)"), Not(HasSubstr("scale"))));
  EXPECT_THAT(error_for("none"), AllOf(HasSubstr("test.ptx has no variable 'none'"), HasSubstr("coefficients")));
}

TEST_F(ModuleTest, KernelsOutliveTheirModuleHandle) {
  start({"near"});
  const Kernel kernel = module_->kernel("fails");
  module_.reset();
  EXPECT_EQ(kernel.name(), "fails");
  EXPECT_TRUE(kernel.info().parameters.empty());
}

}  // namespace
}  // namespace heddle::tests
