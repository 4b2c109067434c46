// Fragments of a matrix in the registers of a warp, and the matrix by rows.
//
// Lanes are in groups of four. In the fragments of all types the elements of a group, those of one register of a and b
// and those of a pair of columns of c, lie one after the other in a row or column of the matrix: a run. So fragments
// are converted as long lists of elements, and copied in runs.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ptx/matrix.hpp"

namespace heddle::ptx::semantics {

inline constexpr unsigned groups = 8;  // of four lanes

// The elements of `bits` bits each in one register of all lanes, lane by lane, as unsigned numbers.
template <unsigned bits, class Word>
[[gnu::always_inline]] inline auto elements_of(const Word* words) {
  constexpr unsigned per_register = 8 * sizeof(Word) / bits, count = matrix_lanes * per_register;
  if constexpr (bits == 4) {
    std::array<std::uint8_t, count> elements;
    for (unsigned i = 0; i < count; ++i)
      elements[i] = static_cast<std::uint8_t>(words[i / per_register] >> (bits * (i % per_register)) & 15);
    return elements;
  } else {
    static_assert(std::endian::native == std::endian::little);
    using Element = std::conditional_t<bits == 8, std::uint8_t, std::conditional_t<bits == 16, std::uint16_t, Word>>;
    std::array<Element, count> elements;
    std::memcpy(elements.data(), words, sizeof elements);
    return elements;
  }
}

// a or b, of elements with `bits` bits. `number` makes a T of the bits of an element. For b, `matrix` is by rows too.
template <unsigned bits, class Word, class T, class Number>
[[gnu::always_inline]] inline void read_factor(const FragmentLayout& layout, const void* registers, T* matrix,
                                               Number number) {
  constexpr unsigned run = 4 * 8 * sizeof(Word) / bits;
  const auto* words = static_cast<const Word*>(registers);
  for (unsigned reg = 0; reg < layout.distinct; ++reg) {
    const auto elements = elements_of<bits>(words + reg * matrix_lanes);
    std::array<T, groups * run> numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = number(elements[i]);
    const FragmentLayout::Place first = layout.place(0, reg, 0);
    T* const to = matrix + first.row * layout.columns + first.column;
    if (layout.matrix == Matrix::a) {
      for (unsigned group = 0; group < groups; ++group)
        std::memcpy(to + group * layout.columns, &numbers[group * run], run * sizeof(T));
    } else {
      for (unsigned k = 0; k < run; ++k)
        for (unsigned group = 0; group < groups; ++group) to[k * layout.columns + group] = numbers[group * run + k];
    }
  }
}

// c. A pair of columns is in one register or in two.
template <unsigned bits, class Word, class T, class Number>
[[gnu::always_inline]] inline void read_sums(const FragmentLayout& layout, const void* registers, T* matrix,
                                             Number number) {
  constexpr unsigned run = 8, of_pair = 2 * bits / (8 * sizeof(Word));
  const auto* words = static_cast<const Word*>(registers);
  for (unsigned reg = 0; reg < layout.distinct; reg += of_pair) {
    std::array<T, groups * run> numbers;
    if constexpr (of_pair == 1) {
      const auto elements = elements_of<bits>(words + reg * matrix_lanes);
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = number(elements[i]);
    } else {
      for (unsigned lane = 0; lane < matrix_lanes; ++lane)
        for (unsigned i = 0; i < 2; ++i) numbers[2 * lane + i] = number(words[(reg + i) * matrix_lanes + lane]);
    }
    const FragmentLayout::Place first = layout.place(0, reg, 0);
    T* const to = matrix + first.row * layout.columns + first.column;
    for (unsigned group = 0; group < groups; ++group)
      std::memcpy(to + group * layout.columns, &numbers[group * run], run * sizeof(T));
  }
}

// d. `element` makes the bits of an element, with zeros above, of a T.
template <unsigned bits, class Word, class T, class Element>
[[gnu::always_inline]] inline void write_sums(const FragmentLayout& layout, const T* matrix, void* registers,
                                              Element element) {
  constexpr unsigned run = 8, of_pair = 2 * bits / (8 * sizeof(Word));
  auto* words = static_cast<Word*>(registers);
  for (unsigned reg = 0; reg < layout.distinct; reg += of_pair) {
    const FragmentLayout::Place first = layout.place(0, reg, 0);
    const T* const from = matrix + first.row * layout.columns + first.column;
    std::array<T, groups * run> numbers;
    for (unsigned group = 0; group < groups; ++group)
      std::memcpy(&numbers[group * run], from + group * layout.columns, run * sizeof(T));
    Word* const to = words + reg * matrix_lanes;
    for (unsigned lane = 0; lane < matrix_lanes; ++lane) {
      const Word even = element(numbers[2 * lane]), odd = element(numbers[2 * lane + 1]);
      if constexpr (of_pair == 1) {
        to[lane] = even | odd << bits;
      } else {
        to[lane] = even;
        to[matrix_lanes + lane] = odd;
      }
    }
  }
}

}  // namespace heddle::ptx::semantics
