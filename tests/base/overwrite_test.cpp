// Outputs that would replace an input or one another.
#include "base/overwrite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.hpp"
#include "heddle/error.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::base {
namespace {

namespace fs = std::filesystem;

class Overwrite : public testing::Test {
 protected:
  fs::path at(const std::string& name) const { return folder_.path() / name; }
  // The message for two outputs, empty if they are taken.
  static std::string complaint(const fs::path& a, const fs::path& b) {
    const std::vector<Output> outputs{{"-a", a}, {"-b", b}};
    try {
      refuse_same_outputs(outputs);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      return error.what();
    }
    return {};
  }

  const tests::TemporaryFolder folder_;
};

TEST_F(Overwrite, TwoOutputsAreNotOneFile) {
  EXPECT_EQ(complaint(at("x"), at("y")), "");
  EXPECT_THAT(complaint(at("x"), at("x")), testing::HasSubstr("-a and -b would both write " + at("x").string()));
  // By other names, before there is a file: of the same folder, and through a link that leads nowhere yet.
  EXPECT_NE(complaint(at("x"), at("./x")), "");
  fs::create_directory(at("d"));
  EXPECT_NE(complaint(at("x"), at("d/../x")), "");
  fs::create_directory_symlink(at("d"), at("e"));
  EXPECT_NE(complaint(at("d/x"), at("e/x")), "");
  fs::create_symlink("x", at("link"));
  EXPECT_NE(complaint(at("x"), at("link")), "");
  // And of a file that is there.
  write_file_atomic(at("x"), std::string_view("old"));
  EXPECT_NE(complaint(at("x"), at("link")), "");
  fs::create_hard_link(at("x"), at("z"));
  EXPECT_NE(complaint(at("x"), at("z")), "");
  EXPECT_EQ(complaint(at("x"), at("y")), "");
  EXPECT_EQ(complaint("/dev/null", "/dev/null"), "");
  EXPECT_EQ(read_file(at("x")), "old");
}

TEST_F(Overwrite, SimulatedGpusHaveOutputs) {
  const auto outputs =
      outputs_of_devices("cpu,sim:hopper-h100,scheduler=gto,report=r.json,trace=t.json,sim:x,report=text");
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].option, "report=r.json");
  EXPECT_EQ(outputs[0].file, "r.json");
  EXPECT_EQ(outputs[1].file, "t.json");
  EXPECT_TRUE(outputs_of_devices("").empty());
}

}  // namespace
}  // namespace heddle::base
