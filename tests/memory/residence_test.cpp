#include "memory/residence.hpp"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

namespace heddle::memory {
namespace {

std::string missing(const Residence& residence, Space space, std::uint64_t begin, std::uint64_t end) {
  std::ostringstream text;
  residence.missing(space, begin, end, [&](std::uint64_t b, std::uint64_t e, Spaces spaces) {
    text << b << '-' << e << ':' << spaces << ' ';
  });
  return text.str();
}

TEST(Residence, NewBytesAreNowhere) {
  const Residence residence(100);
  EXPECT_EQ(missing(residence, 0, 0, 100), "0-100:0 ");
  EXPECT_EQ(missing(residence, 1, 20, 30), "20-30:0 ");
  EXPECT_FALSE(residence.current(0, 0, 1));
  EXPECT_TRUE(residence.current(0, 5, 5));
}

TEST(Residence, WhoModifiesIsTheOnlyOne) {
  Residence residence(100);
  residence.modified(0, 0, 100);
  residence.copied(1, 0, 100);
  EXPECT_EQ(missing(residence, 1, 0, 100), "");
  residence.modified(1, 40, 60);
  EXPECT_EQ(missing(residence, 0, 0, 100), "40-60:2 ");
  EXPECT_EQ(residence.having(0, 40), 3u);
  EXPECT_EQ(residence.having(30, 50), 2u);
  EXPECT_EQ(residence.having_some(30, 50), 3u);
  residence.copied(0, 0, 100);
  EXPECT_EQ(residence.pieces(), 1u);
}

TEST(Residence, ArraysMayBeEmpty) {
  Residence residence(0);
  residence.modified(0, 0, 0);
  EXPECT_EQ(missing(residence, 0, 0, 0), "");
  EXPECT_TRUE(residence.current(3, 0, 0));
}

TEST(Residence, EqualsAListOfBytes) {
  std::mt19937 generator(3);
  constexpr std::uint64_t size = 40;
  for (int round = 0; round < 200; ++round) {
    Residence residence(size);
    std::vector<Spaces> bytes(size, 0);
    for (int step = 0; step < 60; ++step) {
      const Space space = generator() % 4;
      const std::uint64_t begin = generator() % size, end = begin + generator() % (size - begin + 1);
      const bool modifies = generator() % 2 == 0;
      modifies ? residence.modified(space, begin, end) : residence.copied(space, begin, end);
      for (std::uint64_t i = begin; i < end; ++i) bytes[i] = modifies ? only(space) : bytes[i] | only(space);
      std::uint64_t at = begin;
      std::vector<bool> lacks(size, false);
      residence.missing(space ^ 1, 0, size, [&](std::uint64_t b, std::uint64_t e, Spaces spaces) {
        for (at = b; at < e; ++at) {
          lacks[at] = true;
          ASSERT_EQ(spaces, bytes[at]);
        }
      });
      for (std::uint64_t i = 0; i < size; ++i) ASSERT_EQ(lacks[i], (bytes[i] & only(space ^ 1)) == 0) << i;
      std::size_t pieces = 1;
      for (std::uint64_t i = 1; i < size; ++i) pieces += bytes[i] != bytes[i - 1];
      ASSERT_EQ(residence.pieces(), pieces);
    }
  }
}

}  // namespace
}  // namespace heddle::memory
