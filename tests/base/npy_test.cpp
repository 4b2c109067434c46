#include "base/npy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "heddle/error.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::filesystem::path corpus = tests::test_data() / "base/npy_corpus";

template <typename T>
std::vector<T> values(const NpyArray& array) {
  std::vector<T> out(array.data.size() / sizeof(T));
  std::memcpy(out.data(), array.data.data(), array.data.size());
  return out;
}

std::string npy(std::string header, std::string data = {}) {
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  return out + header + data;
}

void expect_error(const std::string& bytes, const char* part) {
  try {
    parse_npy(std::as_bytes(std::span(bytes.data(), bytes.size())), "t.npy");
    FAIL() << "accepted: " << part;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(part));
    EXPECT_THAT(error.what(), HasSubstr("t.npy"));
  }
}

TEST(Npy, ReadsWhatNumpyWrote) {
  const NpyArray a = read_npy(corpus / "f32_2x3.npy");
  EXPECT_EQ(a.type, NpyType::f32);
  EXPECT_THAT(a.shape, ElementsAre(2, 3));
  EXPECT_THAT(values<float>(a), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(a.shape_text(), "2x3");
  const NpyArray b = read_npy(corpus / "i64_5.npy");
  EXPECT_EQ(b.type, NpyType::i64);
  EXPECT_THAT(values<std::int64_t>(b), ElementsAre(0, 1, 2, 3, 4));
  const NpyArray c = read_npy(corpus / "u8_scalar.npy");
  EXPECT_THAT(c.shape, IsEmpty());
  EXPECT_THAT(values<std::uint8_t>(c), ElementsAre(7));
  EXPECT_EQ(read_npy(corpus / "c64.npy").count(), 0u);
  EXPECT_THAT(values<std::uint16_t>(read_npy(corpus / "v2.npy")), ElementsAre(0, 1, 2, 3));
}

TEST(Npy, WritesTheSameBytesAsNumpy) {
  for (const char* file : {"f32_2x3.npy", "i64_5.npy", "u8_scalar.npy", "c64.npy"}) {
    const NpyArray array = read_npy(corpus / file);
    const std::string ours = format_npy(array);
    const NpyArray again = parse_npy(std::as_bytes(std::span(ours.data(), ours.size())));
    EXPECT_EQ(again.shape, array.shape) << file;
    EXPECT_EQ(again.data, array.data) << file;
    EXPECT_EQ((ours.size() - array.data.size()) % 64, 0u) << file;
    EXPECT_EQ(ours.size(), std::filesystem::file_size(corpus / file)) << file;
  }
}

TEST(Npy, EveryTypeRoundTrips) {
  for (const char* text :
       {"b1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "c64", "c128"}) {
    const auto type = npy_type_from_name(text);
    ASSERT_TRUE(type.has_value()) << text;
    EXPECT_EQ(name(*type), text);
    NpyArray array{*type, {3}, std::vector<std::byte>(3 * byte_size(*type), std::byte{1})};
    const std::string bytes = format_npy(array);
    const NpyArray again = parse_npy(std::as_bytes(std::span(bytes.data(), bytes.size())));
    EXPECT_EQ(again.type, *type);
    EXPECT_EQ(again.data, array.data);
  }
  EXPECT_FALSE(npy_type_from_name("float").has_value());
}

TEST(Npy, FileRoundTrip) {
  tests::TemporaryFolder folder;
  const NpyArray array = read_npy(corpus / "f32_2x3.npy");
  write_npy(folder.path() / "out.npy", array);
  EXPECT_EQ(read_npy(folder.path() / "out.npy").data, array.data);
}

TEST(Npy, WrongFilesAreNamed) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  expect_error("", "is no .npy file");
  expect_error("PK\x03\x04 something else altogether", "is no .npy file");
  expect_error(npy(good, "1234567"), "holds 7 bytes of data");
  expect_error(npy(good, "123456789"), "holds 9 bytes of data");
  expect_error(npy(good).substr(0, 30), "cut short within its header");
  expect_error(npy("{'descr': '<f4', 'fortran_order': False}"), "lacks one of");
  expect_error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), 'x': 1}"), "'x' is unknown");
  expect_error(npy("{'descr': '<U4', 'fortran_order': False, 'shape': ()}"), "'<U4'");
  expect_error(npy("{'descr': '|O', 'fortran_order': False, 'shape': ()}"), "'|O'");
  expect_error(npy("{'descr': '>f4', 'fortran_order': False, 'shape': ()}"), "big-endian");
  expect_error(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}"), "records");
  expect_error(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}"), "Fortran");
  expect_error(npy("{'descr': '<f4', 'fortran_order': maybe, 'shape': (2, 2)}"), "neither True nor False");
  expect_error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}"), "number expected");
  expect_error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}"), "too large");
  expect_error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"), "too many");
  expect_error(npy("{'descr': '<f4"), "does not end");
  expect_error(std::string("\x93NUMPY\x07\x00\x10\x00\x00\x00", 12), "version 7");
}

TEST(Npy, FortranOrderOfAVectorIsTheSameAsC) {
  const std::string bytes = npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2,)}", "ab");
  EXPECT_EQ(parse_npy(std::as_bytes(std::span(bytes.data(), bytes.size()))).data.size(), 2u);
}

TEST(Npy, MismatchedArrayIsNotWritten) {
  EXPECT_THROW(format_npy({NpyType::f32, {3}, std::vector<std::byte>(8)}), Error);
}

}  // namespace
}  // namespace heddle::base
