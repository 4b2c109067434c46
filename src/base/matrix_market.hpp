// Matrix Market's coordinate files: sparse matrices as a list of entries.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace heddle::base {

struct MatrixEntry {
  std::uint32_t row = 0, column = 0;  // from 0
  double value = 1;                   // 1 in files that give a pattern only
  friend bool operator==(const MatrixEntry&, const MatrixEntry&) = default;
};

struct SparseMatrix {
  std::uint32_t rows = 0, columns = 0;
  // In the file's order; for a symmetric matrix the mirror image of each stands behind it.
  std::vector<MatrixEntry> entries;
};

// Files of "matrix coordinate" with the field real, integer or pattern, and general or symmetric. Other kinds are
// unsupported by name. Throws not_found, io_error, unsupported or parse_error; the message names `path` (or `where`),
// the line and what is wrong with it.
SparseMatrix read_matrix_market(const std::filesystem::path& path);
SparseMatrix parse_matrix_market(std::string_view text, std::string_view where = "the matrix");

}  // namespace heddle::base
