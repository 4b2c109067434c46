// docs/machines.md lists the keys that there are, as the tables of `heddle_machine_keys` do.
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "device/sim/machine_file/key_tables.hpp"
#include "device/sim/machine_file/reader.hpp"
#include "heddle/error.hpp"
#include "support/places.hpp"

namespace heddle::device::sim {
namespace {

std::string page() { return base::read_file(tests::test_data().parent_path() / "docs" / "machines.md"); }

TEST(MachinePage, ListsTheKeysThatThereAre) {
  EXPECT_TRUE(with_key_tables(page()) == page()) << "write it again: heddle_machine_keys docs/machines.md";
}

TEST(MachinePage, NamesEveryPreset) {
  for (const std::string& name : preset_names()) EXPECT_NE(page().find("`" + name + "`"), std::string::npos) << name;
}

TEST(MachinePage, WithoutTheSectionIsRefused) { EXPECT_THROW(with_key_tables("## Other\n"), Error); }

}  // namespace
}  // namespace heddle::device::sim
