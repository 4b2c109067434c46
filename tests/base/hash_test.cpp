#include "base/hash.hpp"

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

// Examples of FIPS 180-4 and the empty message.
TEST(Hash, Sha256KnownAnswers) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Hash, PiecesGiveTheSameDigestAsTheWhole) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += static_cast<char>(i);
  for (std::size_t step : {1u, 7u, 63u, 64u, 65u, 200u}) {
    Sha256 hash;
    for (std::size_t at = 0; at < text.size(); at += step) hash.add(std::string_view(text).substr(at, step));
    EXPECT_EQ(hash.hex(), sha256_hex(text)) << step;
  }
}

TEST(Hash, FieldsDoNotRunTogether) {
  Sha256 first, second;
  first.add_field("ab");
  first.add_field("c");
  second.add_field("a");
  second.add_field("bc");
  EXPECT_NE(first.hex(), second.hex());
}

TEST(Hash, Fnv1aKnownAnswers) {
  EXPECT_EQ(hash64(""), 0xcbf29ce484222325ull);
  EXPECT_EQ(hash64("a"), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(hash64("foobar"), 0x85944171f73967e8ull);
}

}  // namespace
}  // namespace heddle::base
