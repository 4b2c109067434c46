#include "device/cpu/matrix_calls.hpp"

#include <array>

#include "ptx/semantics/matrix.hpp"
#include "ptx/type.hpp"

namespace heddle::device::cpu {
namespace {

using ptx::matrix_lanes;
using ptx::MatrixProduct;

void call_multiply(std::uint64_t product, const void* a, const void* b, const void* c, void* d) {
  ptx::semantics::multiply_matrices(MatrixProduct::from_code(product), a, b, c, d);
}

template <class Word>
void multiply_records_of(const MatrixProduct& product, const std::uint64_t* records, std::uint32_t present) {
  using Fragment = std::array<Word, MatrixRecord::registers * matrix_lanes>;
  std::array<Fragment, 4> fragments{};  // d, a, b, c
  const auto each = [&](auto&& visit) {
    for (unsigned lane = 0; lane < matrix_lanes; ++lane)
      if ((present >> lane & 1) != 0) visit(lane, reinterpret_cast<std::uint64_t*>(records[lane]));
  };
  each([&](unsigned lane, const std::uint64_t* record) {
    for (unsigned i = 1; i < fragments.size(); ++i)
      for (unsigned r = 0; r < MatrixRecord::registers; ++r)
        fragments[i][r * matrix_lanes + lane] = static_cast<Word>(record[i * MatrixRecord::registers + r]);
  });
  ptx::semantics::multiply_matrices(product, fragments[1].data(), fragments[2].data(), fragments[3].data(),
                                    fragments[0].data());
  each([&](unsigned lane, std::uint64_t* record) {
    for (unsigned r = 0; r < MatrixRecord::registers; ++r) record[r] = fragments[0][r * matrix_lanes + lane];
  });
}

void call_multiply_records(std::uint64_t code, const std::uint64_t* records, std::uint32_t present) {
  const MatrixProduct product = MatrixProduct::from_code(code);
  if (product.a == ptx::Type::f64)
    multiply_records_of<std::uint64_t>(product, records, present);
  else
    multiply_records_of<std::uint32_t>(product, records, present);
}

}  // namespace

void add_matrix_calls(RuntimeTable& table) {
  table.multiply = &call_multiply;
  table.multiply_records = &call_multiply_records;
}

}  // namespace heddle::device::cpu
