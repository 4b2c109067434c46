#include "ptx/support_page.hpp"

#include <gtest/gtest.h>

namespace heddle::ptx {
namespace {

struct Found {
  const FormFamily* family;
  const Form* form;
};
Found find(std::string_view suffixes) {
  for (const FormFamily* family : form_families())
    for (const Form& form : family->forms)
      if (form.suffixes == suffixes) return {family, &form};
  ADD_FAILURE() << suffixes;
  return {};
}

TEST(SupportPage, says_what_a_device_runs) {
  const auto [family, form] = find("shr.(b16|b32|b64|u16|u32|u64|s16|s32|s64)");
  const auto cell = [&](auto runs) { return support_of(*family, *form, {"test", runs}); };
  EXPECT_EQ(cell([](const Form&, const ModifierList&, const Decoded&) { return true; }), "yes");
  EXPECT_EQ(cell([](const Form&, const ModifierList&, const Decoded&) { return false; }), "no");
  EXPECT_EQ(cell([](const Form&, const ModifierList&, const Decoded& d) { return d.type != Type::b16; }),
            "but for .b16");
}

TEST(SupportPage, says_in_part_when_no_suffix_explains_it) {
  const auto [family, form] = find("mul.(lo|hi).<int>");
  EXPECT_EQ(support_of(*family, *form,
                       {"test", [](const Form&, const ModifierList&,
                                   const Decoded& d) { return d.half != Half::hi || d.type != Type::u64; }}),
            "in part");
}

TEST(SupportPage, has_a_column_for_each_device) {
  const SupportColumn column{
      "cpu", [](const Form& form, const ModifierList&, const Decoded&) { return form.opcode == Opcode::add; }};
  const std::string page = support_page({&column, 1});
  EXPECT_NE(page.find("| instruction | since | cpu |"), std::string::npos);
  EXPECT_NE(page.find("| `add.cc(.u32\\|.s32\\|.u64\\|.s64) d, a, b` |  | yes |"), std::string::npos);
  EXPECT_NE(page.find("| `exit` |  | no |"), std::string::npos);
}

}  // namespace
}  // namespace heddle::ptx
