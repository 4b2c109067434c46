// Whatever the bytes: entries that lie in the matrix, mirrored where it is symmetric, or an Error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/matrix_market.hpp"
#include "heddle/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  try {
    const base::SparseMatrix matrix =
        base::parse_matrix_market(std::string_view(reinterpret_cast<const char*>(data), size));
    for (const base::MatrixEntry& entry : matrix.entries)
      if (entry.row >= matrix.rows || entry.column >= matrix.columns || !std::isfinite(entry.value)) std::abort();
    if (matrix.entries.size() > size) std::abort();  // an entry, and its mirror image, takes more than two bytes
  } catch (const Error& error) {
    if (error.code() != ErrorCode::parse_error && error.code() != ErrorCode::unsupported) std::abort();
  }
  return 0;
}
