// Products of matrices by all lanes of a warp.
#include <array>

#include "device/machine/core.hpp"
#include "ptx/semantics/matrix.hpp"

namespace heddle::device::machine {
namespace {

// Registers of all lanes, as multiply_matrices() wants them.
class Words {
 public:
  explicit Words(unsigned bits) : wide_(bits == 64) {}
  void set(unsigned reg, unsigned lane, std::uint64_t value) {
    const unsigned at = reg * warp_size + lane;
    if (wide_)
      words64_[at] = value;
    else
      words32_[at] = static_cast<std::uint32_t>(value);
  }
  std::uint64_t get(unsigned reg, unsigned lane) const {
    const unsigned at = reg * warp_size + lane;
    return wide_ ? words64_[at] : words32_[at];
  }
  void* data() { return wide_ ? static_cast<void*>(words64_.data()) : words32_.data(); }

 private:
  static constexpr unsigned most = 8;  // registers of a fragment
  bool wide_;
  std::array<std::uint32_t, most * warp_size> words32_{};
  std::array<std::uint64_t, most * warp_size> words64_{};
};

}  // namespace

// Lanes that do not take part count as zeros.
void Core::multiply(std::span<Thread* const> members) {
  const std::optional<ptx::MatrixProduct> product = ptx::matrix_product(*inst_);
  if (!product) refuse();
  const unsigned bits = product->a == ptx::Type::f64 ? 64 : 32;
  std::array<Words, 4> fragments{Words(bits), Words(bits), Words(bits), Words(bits)};  // d, a, b, c
  for (Thread* member : members) {
    if (!member) continue;
    enter(*block_, *member);
    for (unsigned i = 1; i < fragments.size(); ++i) {
      const auto registers = ptx::registers_of(operand(i));
      for (unsigned r = 0; r < registers.size(); ++r)
        fragments[i].set(r, member->lane(), read(registers[r], slot_type(i)).lo);
    }
  }
  ptx::semantics::multiply_matrices(*product, fragments[1].data(), fragments[2].data(), fragments[3].data(),
                                    fragments[0].data());
  for (Thread* member : members) {
    if (!member) continue;
    enter(*block_, *member);
    const auto registers = ptx::registers_of(operand(0));
    for (unsigned r = 0; r < registers.size(); ++r)
      write(registers[r], slot_type(0), {fragments[0].get(r, member->lane())});
  }
}

}  // namespace heddle::device::machine
