#include "device/cpu/checker/word_group.hpp"

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 takes the undefined vectors of its own header for mistakes (GCC's bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#define HEDDLE_WORDS_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#endif

namespace heddle::device::cpu {

AccessMark Words::get(MarkKind kind, unsigned word) const {
  if (group.is_spread(kind)) {
    const WordMarks& all = marks[kind];
    return AccessMark::unpacked(all.time[word], all.block[word], all.place[word]);
  }
  const RunMark& run = group.runs[kind];
  AccessMark mark = AccessMark::unpacked(run.time, run.block, run.place);
  mark.thread = (mark.thread + (word >> group.shift(kind))) & 1023;
  return mark;
}

void Words::spread(MarkKind kind) {
  if (group.is_spread(kind)) return;
  WordMarks& all = marks[kind];
  for (std::uint32_t rest = group.known[kind]; rest != 0; rest &= rest - 1) {
    const auto word = static_cast<unsigned>(__builtin_ctz(rest));
    const AccessMark mark = get(kind, word);
    all.time[word] = mark.time;
    all.block[word] = mark.block;
    all.place[word] = mark.place();
  }
  group.spread = static_cast<std::uint8_t>(group.spread | 1u << kind);
}

namespace {

// Whether a run says of the words of `mask`, too, what it says of those that are known.
bool takes(const WordGroup& group, MarkKind kind, std::uint32_t mask, const AccessMark& first, unsigned shift) {
  if ((group.known[kind] & ~mask) == 0) return true;
  const RunMark& run = group.runs[kind];
  return !group.is_spread(kind) && run.time == first.time && run.block == first.block && run.place == first.place() &&
         group.shift(kind) == shift;
}

void set_run(WordGroup& group, MarkKind kind, std::uint32_t mask, const AccessMark& first, unsigned shift) {
  group.runs[kind] = {first.time, first.block, first.place()};
  group.known[kind] = static_cast<std::uint16_t>(group.known[kind] | mask);
  group.spread = static_cast<std::uint8_t>(group.spread & ~(1u << kind));
  group.shifts = static_cast<std::uint8_t>((group.shifts & ~(3u << 2 * kind)) | shift << 2 * kind);
}

}  // namespace

void Words::set(MarkKind kind, std::uint32_t mask, unsigned word, const AccessMark& mark, unsigned shift) {
  AccessMark first = mark;
  first.thread = (mark.thread - (word >> shift)) & 1023;
  if (takes(group, kind, mask, first, shift)) return set_run(group, kind, mask, first, shift);
  spread(kind);
  WordMarks& all = marks[kind];
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto at = static_cast<unsigned>(__builtin_ctz(rest));
    AccessMark own = first;
    own.thread = (first.thread + (at >> shift)) & 1023;
    all.time[at] = mark.time;
    all.block[at] = mark.block;
    all.place[at] = own.place();
  }
  group.known[kind] = static_cast<std::uint16_t>(group.known[kind] | mask);
}

#if defined(__x86_64__)

namespace {

// The marks of one kind, next to the access that comes now.
struct Before {
  __m512i time, block, place;
};

HEDDLE_WORDS_TARGET inline __m512i numbers() {
  return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

HEDDLE_WORDS_TARGET inline Before load(const Words& words, MarkKind kind) {
  if (words.group.is_spread(kind)) {
    const WordMarks& marks = words.marks[kind];
    return {_mm512_load_si512(marks.time), _mm512_load_si512(marks.block), _mm512_load_si512(marks.place)};
  }
  // The bits above the thread's are added again, so that the thread does not run over into them.
  constexpr std::uint32_t thread_bits = 1023u << AccessMark::thread_shift;
  const RunMark& run = words.group.runs[kind];
  const __m512i steps = _mm512_srl_epi32(numbers(), _mm_cvtsi32_si128(static_cast<int>(words.group.shift(kind))));
  const __m512i threads = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(run.place & thread_bits)),
                                           _mm512_slli_epi32(steps, AccessMark::thread_shift));
  const __m512i place = _mm512_or_si512(_mm512_and_si512(threads, _mm512_set1_epi32(thread_bits)),
                                        _mm512_set1_epi32(static_cast<int>(run.place & ~thread_bits)));
  return {_mm512_set1_epi32(static_cast<int>(run.time)), _mm512_set1_epi32(static_cast<int>(run.block)), place};
}

HEDDLE_WORDS_TARGET inline __m512i thread_of(__m512i place) {
  return _mm512_and_si512(_mm512_srli_epi32(place, AccessMark::thread_shift), _mm512_set1_epi32(1023));
}

HEDDLE_WORDS_TARGET inline __mmask16 strong_of(__m512i place) {
  return _mm512_test_epi32_mask(place, _mm512_set1_epi32(1 << AccessMark::strong_shift));
}

// The access, in vectors.
struct Now {
  __m512i threads;  // by word
  __m512i block;
  unsigned warp;
};

HEDDLE_WORDS_TARGET inline Now now_of(const WordsAccess& a) {
  const __m512i words = _mm512_sub_epi32(numbers(), _mm512_set1_epi32(a.first_word));
  const __m512i lanes = _mm512_sra_epi32(words, _mm_cvtsi32_si128(static_cast<int>(a.word_shift)));
  const __m512i first = _mm512_set1_epi32(static_cast<int>(a.first_thread));
  return {_mm512_and_si512(_mm512_add_epi32(first, lanes), _mm512_set1_epi32(1023)),
          _mm512_set1_epi32(static_cast<int>(a.mark.block)), a.first_thread / 32};
}

// Earlier accesses that come before this one for sure: of the same thread, or before a barrier of the block or warp.
HEDDLE_WORDS_TARGET inline __mmask16 ordered(const Before& before, const WordsAccess& a, const Now& now) {
  const __m512i threads = thread_of(before.place);
  const __m512i block_met = _mm512_set1_epi32(static_cast<int>(a.block_met)),
                warp_met = _mm512_set1_epi32(static_cast<int>(a.warp_met)),
                warp = _mm512_set1_epi32(static_cast<int>(now.warp));
  const __mmask16 of_warp =
      _mm512_mask_cmplt_epu32_mask(_mm512_cmpeq_epi32_mask(_mm512_srli_epi32(threads, 5), warp), before.time, warp_met);
  const unsigned met = _mm512_cmplt_epu32_mask(before.time, block_met),
                 same = _mm512_cmpeq_epi32_mask(threads, now.threads);
  return static_cast<__mmask16>(_mm512_cmpeq_epi32_mask(before.block, now.block) & (met | same | of_warp));
}

HEDDLE_WORDS_TARGET inline bool may_conflict(const Words& words, MarkKind kind, std::uint32_t mask,
                                             const WordsAccess& a, const Now& now) {
  mask &= words.group.known[kind];
  if (mask == 0) return false;
  const Before before = load(words, kind);
  if (a.mark.strong) mask &= ~std::uint32_t{strong_of(before.place)};
  return (mask & ~std::uint32_t{ordered(before, a, now)}) != 0;
}

HEDDLE_WORDS_TARGET inline void store(Words words, MarkKind kind, std::uint32_t mask, const WordsAccess& a,
                                      const Now& now) {
  if (mask == 0) return;
  AccessMark mark = a.mark;
  WordGroup& group = words.group;
  WordMarks& marks = words.marks[kind];
  mark.thread = (a.first_thread + static_cast<std::uint32_t>(-a.first_word >> a.word_shift)) & 1023;
  if (takes(group, kind, mask, mark, a.word_shift)) return set_run(group, kind, mask, mark, a.word_shift);
  if (!group.is_spread(kind)) {
    const Before before = load(words, kind);
    _mm512_store_si512(marks.time, before.time);
    _mm512_store_si512(marks.block, before.block);
    _mm512_store_si512(marks.place, before.place);
    group.spread = static_cast<std::uint8_t>(group.spread | 1u << kind);
  }
  mark.thread = 0;
  const __m512i place = _mm512_or_si512(_mm512_set1_epi32(static_cast<int>(mark.place())),
                                        _mm512_slli_epi32(now.threads, AccessMark::thread_shift));
  const __m512i time = _mm512_set1_epi32(static_cast<int>(mark.time));
  const auto lanes = static_cast<__mmask16>(mask);
  _mm512_mask_store_epi32(marks.time, lanes, time);
  _mm512_mask_store_epi32(marks.block, lanes, now.block);
  _mm512_mask_store_epi32(marks.place, lanes, place);
  group.known[kind] = static_cast<std::uint16_t>(group.known[kind] | mask);
}

// How far reads are from the first one: 3 of another block, 2 of another warp, 1.
HEDDLE_WORDS_TARGET inline __m512i away(__m512i block, __m512i warps, const Before& first) {
  const __mmask16 other_block = _mm512_cmpneq_epi32_mask(block, first.block);
  const __mmask16 other_warp = _mm512_cmpneq_epi32_mask(warps, _mm512_srli_epi32(thread_of(first.place), 5));
  const __m512i within = _mm512_mask_set1_epi32(_mm512_set1_epi32(1), other_warp, 2);
  return _mm512_mask_set1_epi32(within, other_block, 3);
}

// As LaunchChecker::note_read. False where other orders than those of `a` may decide.
HEDDLE_WORDS_TARGET inline bool note_read(const Words& words, std::uint32_t mask, const WordsAccess& a,
                                          const Now& now) {
  const std::uint32_t before = mask & words.group.known[first_read];
  std::uint32_t taken = mask & ~before;
  std::uint32_t rest = 0;
  if (before != 0) {
    const Before first = load(words, first_read);
    std::uint32_t replaced = before & ordered(first, a, now);
    if (a.mark.strong) replaced &= strong_of(first.place);
    taken |= replaced;
    rest = before & ~replaced;
    if (rest != 0 && !a.is_plain) return false;
    const std::uint32_t compared = rest & words.group.known[second_read];
    if (compared != 0) {
      const Before second = load(words, second_read);
      const __m512i mine = away(now.block, _mm512_set1_epi32(static_cast<int>(now.warp)), first);
      const __m512i theirs = away(second.block, _mm512_srli_epi32(thread_of(second.place), 5), first);
      rest &= ~compared | _mm512_cmpge_epi32_mask(mine, theirs);
    }
  }
  store(words, first_read, taken, a, now);
  store(words, second_read, rest, a, now);
  return true;
}

HEDDLE_WORDS_TARGET bool note(const Words& words, std::uint32_t mask, const WordsAccess& a) {
  const Now now = now_of(a);
  if (may_conflict(words, write_mark, mask, a, now) || may_conflict(words, strong_write, mask, a, now)) return false;
  if (!a.writes) return note_read(words, mask, a, now);
  if (may_conflict(words, first_read, mask, a, now) || may_conflict(words, second_read, mask, a, now)) return false;
  if (a.mark.strong) {
    store(words, strong_write, mask, a, now);
    return true;
  }
  store(words, write_mark, mask, a, now);
  Words known = words;
  for (const MarkKind kind : {first_read, second_read, strong_write}) known.forget(kind, mask);
  return true;
}

}  // namespace

bool can_note_words() {
  static const bool can = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return can;
}

bool note_words(const Words& words, std::uint16_t mask, const WordsAccess& access) {
  return (words.group.in_parts & mask) == 0 && note(words, mask, access);
}

#else

bool can_note_words() { return false; }
bool note_words(const Words&, std::uint16_t, const WordsAccess&) { return false; }

#endif

}  // namespace heddle::device::cpu
