// Forms of the scalar and SIMD video instructions (PTX ISA 9.0, sections 9.7.20 and 9.7.21).
#include "ptx/form_text.hpp"

namespace heddle::ptx {
namespace {

// Scalar forms: a second operation joins c, or (merging) the destination has a selector and c supplies its other bits.
#define HEDDLE_SCALAR_VIDEO(name)                                         \
  {name ".(u32|s32).(u32|s32).(u32|s32).sat?", "=d, a:U$, b:V$"},         \
      {name ".(u32|s32).(u32|s32).(u32|s32).sat?", "=d$, a:U$, b:V$, c"}, \
      {name ".(u32|s32).(u32|s32).(u32|s32).sat?.(add|min|max)", "=d, a:U$, b:V$, c"}
#define HEDDLE_VIDEO_SHIFT(name)                                                 \
  {name ".(u32|s32).(u32|s32).u32.sat?.(clamp|wrap)", "=d, a:U$, b:V$"},         \
      {name ".(u32|s32).(u32|s32).u32.sat?.(clamp|wrap)", "=d$, a:U$, b:V$, c"}, \
      {name ".(u32|s32).(u32|s32).u32.sat?.(clamp|wrap).(add|min|max)", "=d, a:U$, b:V$, c"}
#define HEDDLE_SIMD_VIDEO(name)                                                   \
  {name ".(u32|s32).(u32|s32).(u32|s32).sat?", "=d:b32$, a:b32$, b:b32$, c:b32"}, \
      {name ".(u32|s32).(u32|s32).(u32|s32).add", "=d:b32$, a:b32$, b:b32$, c:b32"}

constexpr form_text::FormText video_texts[] = {
    HEDDLE_SCALAR_VIDEO("vadd"),
    HEDDLE_SCALAR_VIDEO("vsub"),
    HEDDLE_SCALAR_VIDEO("vabsdiff"),
    HEDDLE_SCALAR_VIDEO("vmin"),
    HEDDLE_SCALAR_VIDEO("vmax"),
    HEDDLE_VIDEO_SHIFT("vshl"),
    HEDDLE_VIDEO_SHIFT("vshr"),
    {"vmad.(u32|s32).(u32|s32).(u32|s32).sat?.(shr7|shr15)?", "=d, a:U$!, b:V$!, c!"},
    {"vmad.(u32|s32).(u32|s32).(u32|s32).po.sat?.(shr7|shr15)?", "=d, a:U$, b:V$, c"},
    {"vset.(u32|s32).(u32|s32).<cmp>", "=d:u32, a$, b:U$"},
    {"vset.(u32|s32).(u32|s32).<cmp>", "=d:u32$, a$, b:U$, c:u32"},
    {"vset.(u32|s32).(u32|s32).<cmp>.(add|min|max)", "=d:u32, a$, b:U$, c:u32"},
    HEDDLE_SIMD_VIDEO("vadd2"),
    HEDDLE_SIMD_VIDEO("vsub2"),
    HEDDLE_SIMD_VIDEO("vavrg2"),
    HEDDLE_SIMD_VIDEO("vabsdiff2"),
    HEDDLE_SIMD_VIDEO("vmin2"),
    HEDDLE_SIMD_VIDEO("vmax2"),
    {"vset2.(u32|s32).(u32|s32).<cmp>.add?", "=d:b32$, a:b32$, b:b32$, c:b32"},
    HEDDLE_SIMD_VIDEO("vadd4"),
    HEDDLE_SIMD_VIDEO("vsub4"),
    HEDDLE_SIMD_VIDEO("vavrg4"),
    HEDDLE_SIMD_VIDEO("vabsdiff4"),
    HEDDLE_SIMD_VIDEO("vmin4"),
    HEDDLE_SIMD_VIDEO("vmax4"),
    {"vset4.(u32|s32).(u32|s32).<cmp>.add?", "=d:b32$, a:b32$, b:b32$, c:b32"},
};
#undef HEDDLE_SCALAR_VIDEO
#undef HEDDLE_VIDEO_SHIFT
#undef HEDDLE_SIMD_VIDEO

}  // namespace

HEDDLE_FORM_FAMILY(video_forms, "Video", video_texts)

}  // namespace heddle::ptx
