// Matrix Market's coordinate files: sparse matrices as a list of entries.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace heddle::base {

struct MatrixEntry {
  std::uint32_t row = 0, column = 0;  // from 0
  double value = 1;                   // 1 in files of kind "pattern"
  friend bool operator==(const MatrixEntry&, const MatrixEntry&) = default;
};

struct SparseMatrix {
  std::uint32_t rows = 0, columns = 0;
  // In the file's order. For a symmetric matrix, the mirrored entry follows each entry.
  std::vector<MatrixEntry> entries;
};

// Files of "matrix coordinate" with the field real, integer or pattern, and general or symmetric. Throws not_found,
// io_error, parse_error, or unsupported with the name of the kind. The message names `path` (or `where`), the line and
// what is wrong with it.
SparseMatrix read_matrix_market(const std::filesystem::path& path);
SparseMatrix parse_matrix_market(std::string_view text, std::string_view where = "the matrix");

}  // namespace heddle::base
