#include "base/matrix_market.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "heddle/error.hpp"
#include "support/places.hpp"

namespace heddle::base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::filesystem::path corpus = tests::test_data() / "base/matrix_market_corpus";
const std::string general = "%%MatrixMarket matrix coordinate real general\n";

TEST(MatrixMarket, ReadsRealNumbersBetweenCommentsAndEmptyLines) {
  const SparseMatrix matrix = read_matrix_market(corpus / "real_general.mtx");
  EXPECT_EQ(matrix.rows, 3u);
  EXPECT_EQ(matrix.columns, 4u);
  EXPECT_THAT(matrix.entries, ElementsAre(MatrixEntry{0, 0, 2.5}, MatrixEntry{2, 3, -1e-3}, MatrixEntry{1, 1, 7}));
}

TEST(MatrixMarket, MirrorsWhatIsSymmetric) {
  const SparseMatrix matrix = read_matrix_market(corpus / "pattern_symmetric.mtx");
  EXPECT_THAT(matrix.entries, ElementsAre(MatrixEntry{0, 0, 1}, MatrixEntry{2, 0, 1}, MatrixEntry{0, 2, 1},
                                          MatrixEntry{2, 1, 1}, MatrixEntry{1, 2, 1}));
}

TEST(MatrixMarket, ReadsLinesOfWindowsAndWordsInCapitals) {
  const SparseMatrix matrix = read_matrix_market(corpus / "integer_general.mtx");
  EXPECT_THAT(matrix.entries, ElementsAre(MatrixEntry{1, 0, -4}));
}

TEST(MatrixMarket, ReadsAFileWithoutALastLineEnd) {
  EXPECT_THAT(parse_matrix_market(general + "1 1 1\n1 1 3").entries, ElementsAre(MatrixEntry{0, 0, 3}));
}

TEST(MatrixMarket, ReadsAFileWithAByteOrderMark) {
  EXPECT_THAT(parse_matrix_market("\xef\xbb\xbf" + general + "1 1 1\n1 1 3").entries,
              ElementsAre(MatrixEntry{0, 0, 3}));
}

struct Refusal {
  const char* name;
  std::string text;
  ErrorCode code;
  const char* says;
};
class MatrixMarketRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(MatrixMarketRefuses, SayingWhatIsWrongAndWhere) {
  try {
    parse_matrix_market(GetParam().text, "m.mtx");
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), GetParam().code) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(GetParam().says));
    EXPECT_THAT(error.what(), HasSubstr("m.mtx"));
  }
}

constexpr ErrorCode bad = ErrorCode::parse_error, other = ErrorCode::unsupported;
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
INSTANTIATE_TEST_SUITE_P(
    All, MatrixMarketRefuses,
    testing::Values(
        Refusal{"empty", "", bad, "the file is empty"},
        Refusal{"no_header", "1 1 1\n1 1 1\n", bad, "line 1: the file does not begin with %%MatrixMarket"},
        Refusal{"dense", "%%MatrixMarket matrix array real general\n1 1\n1\n", other, "the format 'array'"},
        Refusal{"vector", "%%MatrixMarket vector coordinate real general\n", other, "the object 'vector'"},
        Refusal{"complex", "%%MatrixMarket matrix coordinate complex general\n", other, "the field 'complex'"},
        Refusal{"hermitian", "%%MatrixMarket matrix coordinate real hermitian\n", other, "the symmetry 'hermitian'"},
        Refusal{"skew", "%%MatrixMarket matrix coordinate real skew-symmetric\n", other, "'skew-symmetric'"},
        Refusal{"header_with_more", "%%MatrixMarket matrix coordinate real general x\n1 1 0\n", bad, "'x'"},
        Refusal{"no_size", general + "% only this\n", bad, "line 2: the file ends before the line with rows"},
        Refusal{"half_a_size", general + "2 2\n", bad, "line 2: the number of entries is missing"},
        Refusal{"negative_size", general + "-2 2 1\n", bad, "'-2', which is no whole number"},
        Refusal{"large_size", general + "4294967296 2 1\n", bad, "the number of rows is 4294967296"},
        Refusal{"too_few", general + "2 2 2\n1 1 1\n", bad, "the file ends after 1 of 2 entries"},
        Refusal{"billions_promised", general + "2 2 9000000000000000000\n1 1 1\n", bad,
                "after 1 of 9000000000000000000"},
        Refusal{"too_many", general + "2 2 1\n1 1 1\n2 2 1\n", bad, "line 4: there are more entries than the 1"},
        Refusal{"row_0", general + "2 2 1\n0 1 1\n", bad, "line 3: the row is 0, and must be from 1 to 2"},
        Refusal{"column_3", general + "2 2 1\n1 3 1\n", bad, "the column is 3, and must be from 1 to 2"},
        Refusal{"no_value", general + "2 2 1\n1 2\n", bad, "the value is missing"},
        Refusal{"no_number", general + "2 2 1\n1 2 x1\n", bad, "the value is 'x1'"},
        Refusal{"infinite", general + "2 2 1\n1 2 inf\n", bad, "the value is 'inf'"},
        Refusal{"overflow", general + "2 2 1\n1 2 1e999\n", bad, "the value is '1e999'"},
        Refusal{"value_of_a_pattern", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 5\n", bad,
                "'5' does"},
        Refusal{"fraction", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 .5\n", bad, "of integers"},
        Refusal{"not_square", symmetric + "2 3 0\n", bad, "a symmetric matrix of 2 x 3 is not square"},
        Refusal{"above", symmetric + "2 2 1\n1 2 1\n", bad,
                "the entry 1 2 of a symmetric matrix is above the diagonal"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(MatrixMarket, NamesAFileThatIsNotThere) {
  try {
    read_matrix_market("/nowhere/graph.mtx");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/graph.mtx"));
  }
}

}  // namespace
}  // namespace heddle::base
