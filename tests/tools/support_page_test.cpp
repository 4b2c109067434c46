// docs/ptx-support.md says what the devices do.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/places.hpp"
#include "tools/support_columns.hpp"

namespace heddle::test {
namespace {

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(SupportPage, CheckedInPageIsFresh) {
  const std::string page = read((tests::test_data() / "../docs/ptx-support.md").string());
  ASSERT_FALSE(page.empty()) << "docs/ptx-support.md is missing";
  EXPECT_TRUE(page == ptx::support_page(device_columns()))
      << "docs/ptx-support.md is old; run: heddle_ptx_support docs/ptx-support.md";
}

std::string cell(const ptx::SupportColumn& column, std::string_view suffixes) {
  for (const ptx::FormFamily* family : ptx::form_families())
    for (const ptx::Form& form : family->forms)
      if (form.suffixes == suffixes) return ptx::support_of(*family, form, column);
  ADD_FAILURE() << "there is no form " << suffixes;
  return {};
}

TEST(SupportPage, DevicesAnswerForThemselves) {
  const std::vector<ptx::SupportColumn> columns = device_columns();
  ASSERT_EQ(columns.size(), 2u);
  for (const ptx::SupportColumn& column : columns) {
    EXPECT_EQ(cell(column, "bra.uni?"), "yes") << column.device;
    EXPECT_EQ(cell(column, "brx.idx.uni?"), "yes") << column.device;
    EXPECT_EQ(cell(column, "call.uni?"), "yes") << column.device;
    EXPECT_EQ(cell(column, "trap"), "yes") << column.device;
    EXPECT_EQ(cell(column, "alloca.(u32|u64)"), column.device == "cpu" ? "no" : "yes");
    EXPECT_EQ(cell(column, "griddepcontrol.(launch_dependents|wait)"), "yes") << column.device;
    // Not to be taken for plain stores.
    EXPECT_EQ(cell(column, "st.bulk.weak?.shared::cta?"), "no") << column.device;
    EXPECT_EQ(cell(column, "red.async.mmio?.release.(gpu|sys).global?.add.(u32|s32|u64|s64)"), "no") << column.device;
  }
}

}  // namespace
}  // namespace heddle::test
