// heddle knowledge: names of programs are those of the source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/clock.hpp"
#include "cli/heddle_command.hpp"
#include "knowledge/store.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class KnowledgeNames : public HeddleCommand {
 protected:
  void SetUp() override {
    for (const char* program : {"map(_Z5scalePfi)", "map(_Z5scalePfif)", "pipeline(noise, blur)"}) {
      knowledge::Profile profile;
      profile.subject = {program, "cpu", "all"};
      profile.workload = {{5000}, true};
      store_.keep(profile);
    }
  }
  Ran knowledge(const std::string& words) const { return here("knowledge " + words + " --file k.sqlite"); }

  base::SteadyClock clock_;
  knowledge::Store store_{folder_.path() / "k.sqlite", clock_};
};

TEST_F(KnowledgeNames, AreShownAsInTheSource) {
  EXPECT_THAT(knowledge("list").output,
              AllOf(HasSubstr("map(scale(float*, int)) "), HasSubstr("pipeline(noise, blur) "), Not(HasSubstr("_Z"))));
  EXPECT_THAT(knowledge("list --json").output, HasSubstr("\"map(_Z5scalePfi)\""));
  EXPECT_THAT(knowledge("show 'map(scale(float*, int, '").output, StartsWith("map(scale(float*, int, float))\n"));
  EXPECT_THAT(knowledge("show 'map(_Z5scalePfif'").output, StartsWith("map(scale(float*, int, float))\n"));
}

TEST_F(KnowledgeNames, AreForgottenInBothForms) {
  EXPECT_EQ(knowledge("forget 'map(scale(float*, int))'").output, "1 profile forgotten\n");
  EXPECT_EQ(knowledge("forget nothing").output, "0 profiles forgotten\n");
  EXPECT_EQ(knowledge("forget 'map(_Z5'").output, "1 profile forgotten\n");
  EXPECT_EQ(knowledge("forget --all").output, "1 profile forgotten\n");
}

}  // namespace
}  // namespace heddle::tests
