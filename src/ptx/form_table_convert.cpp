// Forms of data movement between registers and of conversion (PTX ISA 9.0, section 9.7.9: mov, cvt, cvt.pack, cvta,
// ...).
#include "ptx/form_text.hpp"

namespace heddle::ptx {
namespace {

// In cvt the first type suffix is the result's, the second the source's.
constexpr form_text::FormText convert_texts[] = {
    {"mov.(b16|b32|b64|b128)", "=d*p, a*p"},
    {"mov.(v2|v4).(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64)", "=d*v, a*v"},
    {"mov.(u16|u32|u64|s16|s32|s64|f32|f64)", "=d, a"},
    {"mov.pred", "=d, a!"},

    {"cvt.(u8|u16|u32|u64|s8|s16|s32|s64).(u8|u16|u32|u64|s8|s16|s32|s64)", "=d~, a:U~"},
    {"cvt.sat.u8.(u16|u32|u64|s8|s16|s32|s64)", "=d~, a:U~"},
    {"cvt.sat.u16.(u32|u64|s8|s16|s32|s64)", "=d~, a:U~"},
    {"cvt.sat.u32.(u64|s8|s16|s32|s64)", "=d~, a:U~"},
    {"cvt.sat.u64.(s8|s16|s32|s64)", "=d~, a:U~"},
    {"cvt.sat.s8.(u8|u16|u32|u64|s16|s32|s64)", "=d~, a:U~"},
    {"cvt.sat.s16.(u16|u32|u64|s32|s64)", "=d~, a:U~"},
    {"cvt.sat.s32.(u32|u64|s64)", "=d~, a:U~"},
    {"cvt.sat.s64.(u64)", "=d~, a:U~"},
    {"cvt.<rnd>.sat?.(f16|f32|f64).(u8|u16|u32|u64|s8|s16|s32|s64)", "=d~, a:U~"},
    {"cvt.<rnd>.ftz.sat?.f32.(u8|u16|u32|u64|s8|s16|s32|s64)", "=d~, a:U~"},
    {"cvt.<rnd>.bf16.(u8|u16|u32|u64|s8|s16|s32|s64)", "=d, a:U", {78, 90}},
    {"cvt.<irnd>.sat?.(u8|u16|u32|u64|s8|s16|s32|s64).(f16|f32|f64)", "=d~, a:U~"},
    {"cvt.<irnd>.ftz.sat?.(u8|u16|u32|u64|s8|s16|s32|s64).f32", "=d~, a:U~"},
    {"cvt.<irnd>.(u8|u16|u32|u64|s8|s16|s32|s64).bf16", "=d, a:U", {78, 90}},
    {"cvt.<irnd>?.ftz?.sat?.f32.f32", "=d, a:U"},
    {"cvt.<irnd>?.sat?.f16.f16", "=d, a:U"},
    {"cvt.<irnd>?.sat?.f64.f64", "=d, a:U"},
    {"cvt.<irnd>?.bf16.bf16", "=d, a:U", {78, 90}},
    {"cvt.ftz?.sat?.f64.f32", "=d, a:U"},
    {"cvt.ftz?.sat?.f32.f16", "=d, a:U"},
    {"cvt.sat?.f64.f16", "=d, a:U"},
    {"cvt.<rnd>.ftz?.sat?.f32.f64", "=d, a:U"},
    {"cvt.<rnd>.ftz?.sat?.f16.f32", "=d, a:U"},
    {"cvt.<rnd>.sat?.f16.f64", "=d, a:U"},
    {"cvt.<rnd>?.ftz?.f32.bf16", "=d, a:U", {71, 80}},
    {"cvt.<rnd>?.f64.bf16", "=d, a:U", {78, 90}},
    {"cvt.<rnd>?.f16.bf16", "=d, a:U", {78, 90}},
    {"cvt.<rnd>?.bf16.f16", "=d, a:U", {78, 90}},
    {"cvt.<rnd>.ftz?.bf16.f32", "=d, a:U", {70, 80}},
    {"cvt.<rnd>.bf16.f64", "=d, a:U", {78, 90}},

    {"cvt.(rn|rz).relu?.satfinite?.(f16|bf16).f32", "=d, a:U", {70, 80}},
    {"cvt.(rn|rz).relu?.satfinite?.(f16x2|bf16x2).f32", "=d, a:f32, b:f32", {70, 80}},
    {"cvt.rs.relu?.satfinite?.(f16x2|bf16x2).f32", "=d, a:f32, b:f32, rbits:b32", {87, 100, 'a'}},
    {"cvt.rna.satfinite?.tf32.f32", "=d:b32, a:f32", {70, 80}},
    {"cvt.(rn|rz).relu?.satfinite?.tf32.f32", "=d:b32, a:f32", {78, 90}},
    {"cvt.rn.satfinite.relu?.(e4m3x2|e5m2x2).f32", "=d:b16, a:f32, b:f32", {81, 89}},
    {"cvt.rn.satfinite.relu?.(e4m3x2|e5m2x2).f16x2", "=d:b16, a:f16x2", {81, 89}},
    {"cvt.rn.relu?.f16x2.(e4m3x2|e5m2x2)", "=d:f16x2, a:b16", {81, 89}},
    {"cvt.rs.relu?.satfinite.(e4m3x4|e5m2x4).f32", "=d:b32, a:f32*4, rbits:b32", {87, 100, 'a'}},
    {"cvt.rn.satfinite.relu?.e2m1x2.f32", "=d:b8, a:f32, b:f32", {86, 100, 'f'}},
    {"cvt.rn.relu?.f16x2.e2m1x2", "=d:f16x2, a:b8", {86, 100, 'f'}},
    {"cvt.rs.relu?.satfinite.e2m1x4.f32", "=d:b16, a:f32*4, rbits:b32", {87, 100, 'a'}},
    {"cvt.rn.satfinite.relu?.(e2m3x2|e3m2x2).f32", "=d:b16, a:f32, b:f32", {86, 100, 'f'}},
    {"cvt.rn.relu?.f16x2.(e2m3x2|e3m2x2)", "=d:f16x2, a:b16", {86, 100, 'f'}},
    {"cvt.rs.relu?.satfinite.(e2m3x4|e3m2x4).f32", "=d:b32, a:f32*4, rbits:b32", {87, 100, 'a'}},
    {"cvt.(rz|rp).satfinite?.ue8m0x2.f32", "=d:b16, a:f32, b:f32", {86, 100, 'f'}},
    {"cvt.(rz|rp).satfinite?.ue8m0x2.bf16x2", "=d:b16, a:bf16x2", {86, 100, 'f'}},
    {"cvt.rn.bf16x2.ue8m0x2", "=d:bf16x2, a:b16", {86, 100, 'f'}},
    {"cvt.pack.sat.(u16|s16).s32", "=d:b32, a:s32, b:s32", {65, 72}},
    {"cvt.pack.sat.(u4|s4|u8|s8).s32.b32", "=d:b32, a:s32, b:s32, c:b32", {65, 72}},
    {"cvt.pack.sat.(u2|s2).s32.b32", "=d:b32, a:s32, b:s32, c:b32", {65, 75}},

    // A variable may be named as the source.
    {"cvta.(const|global|local|shared|shared::cta|shared::cluster|param|param::entry).(u32|u64)", "=d, a"},
    {"cvta.to.(const|global|local|shared|shared::cta|shared::cluster|param|param::entry).(u32|u64)", "=d, a"},
    {"isspacep.(const|global|local|shared|shared::cta|shared::cluster|param|param::entry)", "=p:pred, a:any"},
    {"istypep.(texref|samplerref|surfref)", "=p:pred, a:u64"},
};

}  // namespace

HEDDLE_FORM_FAMILY(convert_forms, "Data movement and conversion", convert_texts)

}  // namespace heddle::ptx
