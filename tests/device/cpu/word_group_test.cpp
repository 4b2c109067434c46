// What is remembered of groups of words is the same whether a warp's access is recorded as a whole or word by word.
#include "device/cpu/checker/word_group.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace heddle::device::cpu {
namespace {

struct Recorded {
  WordGroup group = {};
  std::array<WordMarks, kinds> marks = {};
  Words words() { return {group, marks.data()}; }
};

AccessMark mark(std::uint32_t time, std::uint32_t thread, std::uint32_t line = 1) {
  AccessMark made;
  made.time = time;
  made.line = line;
  made.thread = thread & 1023;
  return made;
}

bool same(const AccessMark& a, const AccessMark& b) {
  return a.time == b.time && a.block == b.block && a.place() == b.place();
}

TEST(Words, ARunSaysAllUntilAWordDiffers) {
  Recorded one;
  const Words words = one.words();
  Words(words).set(write_mark, 0xff00, 8, mark(3, 1020), 1);
  EXPECT_FALSE(one.group.is_spread(write_mark));
  EXPECT_EQ(one.group.known[write_mark], 0xff00);
  EXPECT_EQ(words.get(write_mark, 9).thread, 1020u);
  EXPECT_EQ(words.get(write_mark, 15).thread, 1023u);
  // The rest of the same run, and then another access of one of its words.
  Words(words).set(write_mark, 0x00ff, 0, mark(3, 1016), 1);
  EXPECT_FALSE(one.group.is_spread(write_mark));
  Words(words).set(write_mark, 1u << 4, 4, mark(5, 7, 2), 0);
  EXPECT_TRUE(one.group.is_spread(write_mark));
  EXPECT_TRUE(same(words.get(write_mark, 4), mark(5, 7, 2)));
  EXPECT_TRUE(same(words.get(write_mark, 5), mark(3, 1018)));
  // All of it again.
  Words(words).set(write_mark, 0xffff, 0, mark(6, 0), 0);
  EXPECT_FALSE(one.group.is_spread(write_mark));
  EXPECT_TRUE(same(words.get(write_mark, 4), mark(6, 4)));
}

// As LaunchChecker does it for one word of a block that only barriers order.
bool note_one(const Words& words, unsigned word, const WordsAccess& a, std::uint32_t thread) {
  WordCell cell(words, word);
  AccessMark now = a.mark;
  now.thread = thread;
  const auto ordered = [&](const AccessMark& before) {
    return before.block == now.block && (before.thread == now.thread || before.time < a.block_met ||
                                         (before.thread / 32 == thread / 32 && before.time < a.warp_met));
  };
  const auto conflicts = [&](MarkKind kind) {
    return cell.has(kind) && !(cell.get(kind).strong && now.strong) && !ordered(cell.get(kind));
  };
  if (conflicts(write_mark) || conflicts(strong_write)) return false;
  if (a.writes) {
    if (conflicts(first_read) || conflicts(second_read)) return false;
    cell.set(now.strong ? strong_write : write_mark, now);
    if (!now.strong)
      for (const MarkKind kind : {first_read, second_read, strong_write}) cell.forget(kind);
    return true;
  }
  if (!cell.has(first_read)) return cell.set(first_read, now), true;
  const AccessMark first = cell.get(first_read);
  if (first.strong >= now.strong && ordered(first)) return cell.set(first_read, now), true;
  const auto away = [&](const AccessMark& m) {
    return m.block != first.block ? 3 : m.thread / 32 != first.thread / 32 ? 2 : 1;
  };
  if (!cell.has(second_read) || away(now) >= away(cell.get(second_read))) cell.set(second_read, now);
  return true;
}

WordsAccess random_access(std::mt19937& random, std::uint32_t time) {
  const auto pick = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  WordsAccess a;
  a.word_shift = pick(3);
  a.mark = mark(time, 0, 1 + pick(3));
  a.mark.block = pick(2);
  a.mark.strong = pick(6) == 0;
  a.writes = pick(3) == 0;
  a.first_thread = pick(2) * 32;
  a.first_word = -(static_cast<std::int32_t>(pick(8)) << a.word_shift);
  // Few accesses conflict where most were ordered by something.
  a.block_met = time - pick(4);
  a.warp_met = a.block_met + pick(3);
  return a;
}

TEST(Words, AreNotedAtOnceAsOneByOne) {
  if (!can_note_words()) GTEST_SKIP() << "this machine has no AVX-512";
  std::mt19937 random(1);
  unsigned noted = 0, refused = 0, together = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    Recorded whole, single;
    for (std::uint32_t time = 8; time < 20; ++time) {
      const WordsAccess a = random_access(random, time);
      const auto mask = static_cast<std::uint16_t>(random() % 3 == 0 ? random() : 0xffff);
      Recorded before = single;
      bool is_right = true;
      for (unsigned w = 0; w < 16; ++w) {
        if ((mask >> w & 1) == 0) continue;
        const auto lane = static_cast<std::uint32_t>((static_cast<std::int32_t>(w) - a.first_word) >> a.word_shift);
        is_right &= note_one(single.words(), w, a, (a.first_thread + lane) & 1023);
      }
      if (!is_right) single = before;
      ASSERT_EQ(note_words(whole.words(), mask, a), is_right);
      ++(is_right ? noted : refused);
      for (unsigned kind = 0; kind < kinds; ++kind) {
        const auto of = static_cast<MarkKind>(kind);
        ASSERT_EQ(whole.group.known[kind], single.group.known[kind]);
        if (!whole.group.is_spread(of)) ++together;
        for (unsigned w = 0; w < 16; ++w) {
          if ((whole.group.known[kind] >> w & 1) == 0) continue;
          ASSERT_TRUE(same(whole.words().get(of, w), single.words().get(of, w))) << kind << " " << w;
        }
      }
    }
  }
  EXPECT_GT(noted, 5000u);
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(together, 5000u);
}

}  // namespace
}  // namespace heddle::device::cpu
