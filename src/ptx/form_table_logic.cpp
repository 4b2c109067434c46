// Forms of logic, shifts, comparison and selection (PTX ISA 9.0, sections 9.7.6 to 9.7.8).
#include "ptx/form_text.hpp"

namespace heddle::ptx {
namespace {

constexpr form_text::FormText logic_texts[] = {
    {"and.(pred|b16|b32|b64)", "=d, a!, b!"},
    {"or.(pred|b16|b32|b64)", "=d, a!, b!"},
    {"xor.(pred|b16|b32|b64)", "=d, a!, b!"},
    {"not.(pred|b16|b32|b64)", "=d, a!"},
    {"cnot.(b16|b32|b64)", "=d, a"},
    {"lop3.b32", "=d, a, b, c, #lut{0..255}", {43, 50}},
    {"lop3.(or|and).b32", "=d&|=p:pred&, a, b, c, #lut{0..255}, q:pred!", {82, 70}},
    {"shf.(l|r).(clamp|wrap).b32", "=d, a, b, c:u32", {31, 32}},
    {"shl.(b16|b32|b64)", "=d, a, b:u32"},
    {"shr.(b16|b32|b64|u16|u32|u64|s16|s32|s64)", "=d, a, b:u32"},
    {"prmt.b32.(f4e|b4e|rc8|ecl|ecr|rc16)?", "=d, a, b, c:u32"},

    {"set.(eq|ne).(u32|s32|f32).(b16|b32|b64)", "=d, a:U, b:U"},
    {"set.<cmpu>.(u32|s32|f32).(u16|u32|u64)", "=d, a:U, b:U"},
    {"set.<cmp>.(u32|s32|f32).(s16|s32|s64)", "=d, a:U, b:U"},
    {"set.<cmpf>.ftz?.(u32|s32|f32).f32", "=d, a:U, b:U"},
    {"set.<cmpf>.(u32|s32|f32).f64", "=d, a:U, b:U"},
    {"set.(eq|ne).<bool>.(u32|s32|f32).(b16|b32|b64)", "=d, a:U, b:U, c:pred!"},
    {"set.<cmpu>.<bool>.(u32|s32|f32).(u16|u32|u64)", "=d, a:U, b:U, c:pred!"},
    {"set.<cmp>.<bool>.(u32|s32|f32).(s16|s32|s64)", "=d, a:U, b:U, c:pred!"},
    {"set.<cmpf>.<bool>.ftz?.(u32|s32|f32).f32", "=d, a:U, b:U, c:pred!"},
    {"set.<cmpf>.<bool>.(u32|s32|f32).f64", "=d, a:U, b:U, c:pred!"},
    {"set.(eq|ne).(f16|bf16).(b16|b32|b64)", "=d, a:U, b:U", {42, 53}},
    {"set.<cmpu>.(f16|bf16).(u16|u32|u64)", "=d, a:U, b:U", {42, 53}},
    {"set.<cmp>.(f16|bf16).(s16|s32|s64)", "=d, a:U, b:U", {42, 53}},
    {"set.<cmpf>.ftz?.(f16|u16|s16|u32|s32).f16", "=d, a:U, b:U", {42, 53}},
    {"set.<cmpf>.(bf16|u16|s16|u32|s32).bf16", "=d, a:U, b:U", {78, 90}},
    {"set.<cmpf>.ftz?.f16.f32", "=d, a:U, b:U", {42, 53}},
    {"set.<cmpf>.bf16.(f16|f32)", "=d, a:U, b:U", {78, 90}},
    {"set.<cmpf>.(f16|bf16).f64", "=d, a:U, b:U", {42, 53}},
    {"set.(eq|ne).<bool>.(f16|bf16).(b16|b32|b64)", "=d, a:U, b:U, c:pred!", {42, 53}},
    {"set.<cmpu>.<bool>.(f16|bf16).(u16|u32|u64)", "=d, a:U, b:U, c:pred!", {42, 53}},
    {"set.<cmp>.<bool>.(f16|bf16).(s16|s32|s64)", "=d, a:U, b:U, c:pred!", {42, 53}},
    {"set.<cmpf>.<bool>.ftz?.(f16|u16|s16|u32|s32).f16", "=d, a:U, b:U, c:pred!", {42, 53}},
    {"set.<cmpf>.<bool>.(bf16|u16|s16|u32|s32).bf16", "=d, a:U, b:U, c:pred!", {78, 90}},
    {"set.<cmpf>.<bool>.ftz?.f16.f32", "=d, a:U, b:U, c:pred!", {42, 53}},
    {"set.<cmpf>.<bool>.bf16.(f16|f32)", "=d, a:U, b:U, c:pred!", {78, 90}},
    {"set.<cmpf>.<bool>.(f16|bf16).f64", "=d, a:U, b:U, c:pred!", {42, 53}},
    {"set.<cmpf>.ftz?.(f16x2|u32|s32).f16x2", "=d, a:U, b:U", {42, 53}},
    {"set.<cmpf>.(bf16x2|u32|s32).bf16x2", "=d, a:U, b:U", {78, 90}},
    {"set.<cmpf>.<bool>.ftz?.(f16x2|u32|s32).f16x2", "=d, a:U, b:U, c:pred!", {42, 53}},
    {"set.<cmpf>.<bool>.(bf16x2|u32|s32).bf16x2", "=d, a:U, b:U, c:pred!", {78, 90}},
    {"setp.(eq|ne).(b16|b32|b64)", "=p:pred&|=q:pred?&, a, b"},
    {"setp.<cmpu>.(u16|u32|u64)", "=p:pred&|=q:pred?&, a, b"},
    {"setp.<cmp>.(s16|s32|s64)", "=p:pred&|=q:pred?&, a, b"},
    {"setp.<cmpf>.ftz?.f32", "=p:pred&|=q:pred?&, a, b"},
    {"setp.<cmpf>.f64", "=p:pred&|=q:pred?&, a, b"},
    {"setp.<cmpf>.ftz?.f16", "=p:pred&, a, b", {42, 53}},
    {"setp.<cmpf>.ftz?.f16x2", "=p:pred&|=q:pred?&, a, b", {42, 53}},
    {"setp.<cmpf>.bf16", "=p:pred&, a, b", {78, 90}},
    {"setp.<cmpf>.bf16x2", "=p:pred&|=q:pred?&, a, b", {78, 90}},
    {"setp.(eq|ne).<bool>.(b16|b32|b64)", "=p:pred&|=q:pred?&, a, b, c:pred!"},
    {"setp.<cmpu>.<bool>.(u16|u32|u64)", "=p:pred&|=q:pred?&, a, b, c:pred!"},
    {"setp.<cmp>.<bool>.(s16|s32|s64)", "=p:pred&|=q:pred?&, a, b, c:pred!"},
    {"setp.<cmpf>.<bool>.ftz?.f32", "=p:pred&|=q:pred?&, a, b, c:pred!"},
    {"setp.<cmpf>.<bool>.f64", "=p:pred&|=q:pred?&, a, b, c:pred!"},
    {"setp.<cmpf>.<bool>.ftz?.f16", "=p:pred&, a, b, c:pred!", {42, 53}},
    {"setp.<cmpf>.<bool>.ftz?.f16x2", "=p:pred&|=q:pred?&, a, b, c:pred!", {42, 53}},
    {"setp.<cmpf>.<bool>.bf16", "=p:pred&, a, b, c:pred!", {78, 90}},
    {"setp.<cmpf>.<bool>.bf16x2", "=p:pred&|=q:pred?&, a, b, c:pred!", {78, 90}},
    {"selp.(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64)", "=d, a, b, c:pred!"},
    {"slct.(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64).s32", "=d, a, b, c:U"},
    {"slct.ftz?.(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64).f32", "=d, a, b, c:U"},
};

}  // namespace

HEDDLE_FORM_FAMILY(logic_forms, "Logic, shifts, comparison, selection", logic_texts)

}  // namespace heddle::ptx
