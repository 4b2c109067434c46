#include "ptx/analysis/access/memory_contents.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::ptx::analysis {
namespace {

using Kind = Source::Kind;

class MemoryContentsTest : public testing::Test {
 protected:
  MemoryContentsTest() {
    Variable pointer;
    pointer.type = Type::u64;
    function_.parameters.assign(2, pointer);
  }
  PointerValue pointer_to(std::uint32_t parameter) {
    PointerValue value;
    value.plain.insert(sources_.number({Kind::parameter, parameter, 0}));
    return value;
  }
  SourceSet cell(std::uint32_t variable, std::int64_t offset) {
    SourceSet set;
    set.insert(sources_.number({Kind::cell, variable, offset}));
    return set;
  }
  static std::vector<std::uint32_t> plain(const PointerValue& value) {
    return {value.plain.begin(), value.plain.end()};
  }
  std::uint32_t elsewhere() { return sources_.number({Kind::elsewhere, 0, 0}); }

  Function function_;
  SourceTable sources_;
  MemoryContents contents_{function_, sources_};
};

TEST_F(MemoryContentsTest, LoadsGiveWhatStoresAtOverlappingBytesPutThere) {
  const PointerValue p = pointer_to(0), q = pointer_to(1);
  EXPECT_TRUE(contents_.store(cell(3, 0), Space::local, p, 0));
  EXPECT_FALSE(contents_.store(cell(3, 0), Space::local, p, 0)) << "nothing new";
  EXPECT_TRUE(contents_.store(cell(3, 0), Space::local, q, 8));
  EXPECT_EQ(plain(contents_.loaded_from(cell(3, 0), Space::local, 0)), plain(p));
  EXPECT_EQ(plain(contents_.loaded_from(cell(3, 8), Space::local, 0)), plain(q));
  EXPECT_EQ(plain(contents_.loaded_from(cell(3, 4), Space::local, 0)).size(), 2U);
  EXPECT_EQ(plain(contents_.loaded_from(cell(3, Source::any_offset), Space::local, 0)).size(), 2U);
  EXPECT_TRUE(contents_.loaded_from(cell(4, 0), Space::local, 0).empty());
}

TEST_F(MemoryContentsTest, SharedMemoryIsOnePlace) {
  EXPECT_TRUE(contents_.store({}, Space::shared, pointer_to(0), 0));
  EXPECT_EQ(plain(contents_.loaded_from({}, Space::shared, 64)), plain(pointer_to(0)));
}

TEST_F(MemoryContentsTest, AnUnknownAddressMayBeAnywhere) {
  contents_.store(cell(3, 0), Space::local, pointer_to(0), 0);
  EXPECT_EQ(plain(contents_.loaded_from({}, Space::local, 0)), plain(pointer_to(0)));
  EXPECT_EQ(plain(contents_.loaded_from({}, Space::global, 0)), std::vector{elsewhere()});
}

TEST_F(MemoryContentsTest, ParametersHaveFieldsOfEightBytes) {
  EXPECT_EQ(plain(contents_.parameter_field(1, 4)), plain(pointer_to(1)));
  EXPECT_TRUE(contents_.parameter_field(1, 8).empty());
  EXPECT_EQ(plain(contents_.parameter_field(1, Source::any_offset)), plain(pointer_to(1)));
}

}  // namespace
}  // namespace heddle::ptx::analysis
