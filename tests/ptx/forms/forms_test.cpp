#include "ptx/forms.hpp"

#include <gtest/gtest.h>

#include <set>

#include "heddle/error.hpp"
#include "ptx/decode.hpp"
#include "ptx/form_match.hpp"
#include "ptx/form_rules.hpp"
#include "ptx/forms/sample.hpp"
#include "ptx/parser.hpp"

namespace heddle::ptx {
namespace {

TEST(FormTable, forms_of_an_opcode_are_adjacent) {
  std::set<Opcode> finished;
  for (const FormFamily* family : form_families()) {
    Opcode current = Opcode::count_;
    for (const Form& form : family->forms) {
      if (form.opcode == current) continue;
      EXPECT_TRUE(finished.insert(form.opcode).second)
          << form.suffixes << " stands apart from its opcode's other forms";
      current = form.opcode;
    }
    EXPECT_LT(family->forms.size(), 1024u) << "form ids have ten bits for the number within a family";
  }
}

TEST(FormTable, every_opcode_has_forms) {
  for (unsigned i = 0; i < static_cast<unsigned>(Opcode::count_); ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    const FormRange range = forms_of(opcode);
    EXPECT_FALSE(range.forms.empty()) << name(opcode);
    for (const Form& form : range.forms) EXPECT_EQ(form.opcode, opcode) << form.suffixes;
  }
  EXPECT_TRUE(forms_of(Opcode::count_).forms.empty());
}

TEST(FormTable, no_form_has_more_suffixes_than_an_instruction) {
  for (const FormFamily* family : form_families())
    for (const Form& form : family->forms) EXPECT_LE(form.element_count, ModifierList::capacity) << form.suffixes;
}

TEST(FormTable, required_operands_are_not_behind_more_optional_ones_than_can_be_told_apart) {
  for (const FormFamily* family : form_families())
    for (const Form& form : family->forms) {
      EXPECT_LE(form.least_operands, form.slot_count) << form.suffixes;
      for (const SlotPattern& slot : family->slots_of(form))
        EXPECT_FALSE(slot_name(form, slot).empty()) << form.operands;
    }
}

// Every sample of every form, parsed in one kernel: each instruction gets a form whose suffixes are the written ones.
TEST(FormTable, parser_takes_every_form) {
  for (const FormFamily* family : form_families()) {
    for (const Form& form : family->forms) {
      if (form.opcode == Opcode::call || form.opcode == Opcode::brx) continue;  // need declarations of their own
      if (form.suffixes.starts_with("mov.(v2|v4)")) continue;                   // the parser makes single movs of these
      std::string text = sample_prologue("9.0", "sm_100a");
      const std::vector<Sample> list = samples(*family, form, 30);
      for (const Sample& sample : list) text += sample.text + "\n";
      const Module module = parse(text + "ret;\n}\n", "samples");
      const Function& kernel = module.functions.back();
      ASSERT_EQ(kernel.body.size(), list.size() + 1) << form.suffixes;
      for (std::size_t i = 0; i < list.size(); ++i) {
        const Instruction& inst = kernel.body[i];
        EXPECT_EQ(inst.modifiers, list[i].modifiers) << list[i].text;
        const FormRef found = form_of(inst);
        ASSERT_TRUE(found) << list[i].text;
        EXPECT_EQ(found.form->slot_count, inst.operands.size()) << list[i].text;
        EXPECT_EQ(inst.form, find_form(inst)) << list[i].text;
        EXPECT_EQ(slots(inst).size, inst.operands.size()) << list[i].text;
      }
    }
  }
}

// Order of suffixes does not matter to ptxas, so it does not here; types keep their order.
TEST(Forms, suffixes_may_stand_in_any_order) {
  const Module module = parse(sample_prologue("8.0", "sm_90") +
                                  "ld.global.volatile.u32 %r1, [%rd1];\n"
                                  "atom.add.global.u32 %r1, [%rd1], %r2;\n"
                                  "cvt.u32.rzi.f32 %r1, %r2;\n}\n",
                              "test");
  const std::vector<Instruction>& body = module.functions.back().body;
  EXPECT_EQ(body[0].d.order, Order::volatile_);
  EXPECT_EQ(body[0].d.space, Space::global);
  EXPECT_EQ(body[1].d.reduce, ReduceOp::add);
  EXPECT_EQ(body[2].d.type, Type::u32);
  EXPECT_EQ(body[2].d.type2, Type::f32);
  EXPECT_EQ(body[2].d.rounding, Rounding::rzi);
}

Instruction parse_one(const std::string& text) {
  return parse(sample_prologue("9.0", "sm_100a") + text + "\nret;\n}\n", "test").functions.back().body[0];
}

TEST(Decode, suffixes_mean_what_they_mean_in_their_instruction) {
  EXPECT_EQ(parse_one("mul.lo.u32 %r1, %r2, %r3;").d.half, Half::lo);
  EXPECT_EQ(parse_one("setp.lo.u32 %p1, %r2, %r3;").d.compare, Compare::lo);
  EXPECT_EQ(parse_one("setp.nan.f32 %p1, %r2, %r3;").d.compare, Compare::nan);
  EXPECT_TRUE(parse_one("min.NaN.f32 %r1, %r2, %r3;").d.nan);
  EXPECT_EQ(parse_one("setp.eq.and.s32 %p1, %r2, %r3, %p2;").d.bool_op, BoolOp::and_);
  EXPECT_EQ(parse_one("atom.and.b32 %r1, [%rd1], %r3;").d.reduce, ReduceOp::and_);
  EXPECT_EQ(parse_one("vote.sync.uni.pred %p1, %p2, %r1;").d.warp, WarpMode::uni);
  EXPECT_TRUE(parse_one("bra.uni L;").d.uniform);
  EXPECT_EQ(parse_one("ld.global.v4.f32 {%r1,%r2,%r3,%r4}, [%rd1];").d.vector, 4);
  EXPECT_TRUE(parse_one("cvta.to.global.u64 %rd1, %rd2;").d.to);
  EXPECT_TRUE(parse_one("add.cc.u32 %r1, %r2, %r3;").d.carry_out);
}

TEST(Decode, defaults_of_ptx_are_filled_in) {
  const Instruction atom = parse_one("atom.global.add.u32 %r1, [%rd1], %r2;");
  EXPECT_EQ(atom.d.order, Order::relaxed);
  EXPECT_EQ(atom.d.scope, Scope::gpu);
  EXPECT_EQ(parse_one("fence.sys;").d.order, Order::acq_rel);
  const Instruction membar = parse_one("membar.gl;");
  EXPECT_EQ(membar.d.order, Order::sc);
  EXPECT_EQ(membar.d.scope, Scope::gpu);
  EXPECT_EQ(parse_one("ld.global.u32 %r1, [%rd1];").d.order, Order::weak);
  EXPECT_EQ(parse_one("barrier.cluster.arrive;").d.order, Order::release);
  EXPECT_EQ(parse_one("barrier.cluster.wait;").d.order, Order::acquire);
}

TEST(Slots, types_follow_the_suffixes) {
  const SlotList wide = slots(parse_one("mad.wide.s16 %r1, %rs2, %rs3, %r4;"));
  ASSERT_EQ(wide.size, 4u);
  EXPECT_EQ(wide[0].type, Type::s32);
  EXPECT_EQ(wide[1].type, Type::s16);
  EXPECT_EQ(wide[3].type, Type::s32);
  const SlotList unpack = slots(parse_one("mov.b64 {%rs1,%rs2,%rs3,%rs4}, %rd1;"));
  EXPECT_EQ(unpack[0].type, Type::b16);
  EXPECT_EQ(unpack[1].type, Type::b64);
  const SlotList set = slots(parse_one("set.eq.u32.f64 %r1, %rd2, %rd3;"));
  EXPECT_EQ(set[0].type, Type::u32);
  EXPECT_EQ(set[1].type, Type::f64);
}

TEST(Slots, absent_operands_keep_their_place) {
  const Instruction plain = parse_one("setp.eq.u32 %p1, %r2, %r3;");
  ASSERT_EQ(plain.operands.size(), 4u);
  EXPECT_FALSE(plain.operands[1].present());
  EXPECT_TRUE(slots(plain)[1].optional);
  const Instruction bar = parse_one("bar.red.popc.u32 %r1, 0, %p2;");
  ASSERT_EQ(bar.operands.size(), 4u);
  EXPECT_FALSE(bar.operands[2].present());
  EXPECT_TRUE(bar.operands[3].is_reg());
  const Instruction hinted = parse_one("ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;");
  EXPECT_TRUE(hinted.operands[2].present());
}

struct Registers {
  std::vector<std::uint32_t> defs, uses;
};
Registers registers_of(const Instruction& inst) {
  Registers result;
  for_each_def(inst, [&](std::uint32_t reg, const Slot&) { result.defs.push_back(reg); });
  for_each_use(inst, [&](std::uint32_t reg, const Slot&) { result.uses.push_back(reg); });
  return result;
}

TEST(Slots, definitions_and_uses) {
  // Registers are numbered in order of first appearance.
  Registers r = registers_of(parse_one("ld.global.v2.u32 {%r1,_}, [%rd1+8];"));
  EXPECT_EQ(r.defs, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(r.uses, (std::vector<std::uint32_t>{1}));
  r = registers_of(parse_one("@!%p1 setp.eq.and.u32 %p2|%p3, %r1, 5, !%p4;"));
  EXPECT_EQ(r.defs, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(r.uses, (std::vector<std::uint32_t>{0, 3, 4}));
  r = registers_of(parse_one("tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [tx, {%r5,%r6}];"));
  EXPECT_EQ(r.defs.size(), 4u);
  EXPECT_EQ(r.uses, (std::vector<std::uint32_t>{4, 5}));
  r = registers_of(parse_one("st.shared.b32 [%r1], %r2;"));
  EXPECT_TRUE(r.defs.empty());
  EXPECT_EQ(r.uses, (std::vector<std::uint32_t>{0, 1}));
}

TEST(Slots, a_call_writes_its_first_list_and_reads_its_second) {
  const Module module = parse(
      ".version 7.0\n.target sm_80\n.address_size 64\n"
      ".func (.reg .u32 r) f(.reg .u32 a) { mov.u32 r, a; ret; }\n"
      ".visible .entry k() { .reg .u32 %r<3>; call (%r1), f, (%r2); ret; }\n",
      "test");
  const Registers r = registers_of(module.functions.back().body[0]);
  EXPECT_EQ(r.defs, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(r.uses, (std::vector<std::uint32_t>{1}));
}

TEST(MakeInstruction, finds_the_form) {
  const Instruction add = make_instruction(Opcode::add, {modifier_of(Type::u32)},
                                           {Operand::make_reg(0), Operand::make_reg(1), Operand::make_integer(5)});
  EXPECT_EQ(add.d.type, Type::u32);
  EXPECT_EQ(slots(add).size, 3u);
  const Instruction load = make_instruction(Opcode::ld, {Modifier::param, modifier_of(Type::u64)},
                                            {Operand::make_reg(0), Operand::make_address_reg(1)});
  EXPECT_EQ(load.operands.size(), slots(load).size);
  EXPECT_EQ(load.d.space, Space::param);
}

TEST(MakeInstruction, refuses_what_no_form_has) {
  EXPECT_THROW(make_instruction(Opcode::add, {modifier_of(Type::u32)}, {Operand::make_reg(0)}), Error);
  EXPECT_THROW(make_instruction(Opcode::add, {Modifier::ftz, modifier_of(Type::f64)},
                                {Operand::make_reg(0), Operand::make_reg(1), Operand::make_reg(2)}),
               Error);
}

TEST(Slots, an_instruction_without_form_has_none) {
  Instruction inst;
  inst.opcode = Opcode::add;
  EXPECT_EQ(slots(inst).size, 0u);
  inst.opcode = Opcode::count_;
  EXPECT_EQ(slots(inst).size, 0u);
}

TEST(Since, suffixes_raise_the_version) {
  const Instruction plain = parse_one("ld.global.u32 %r1, [%rd1];");
  EXPECT_EQ(since(*form_of(plain).form, plain.modifiers).sm, 0);
  const Instruction hinted = parse_one("ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;");
  EXPECT_EQ(since(*form_of(hinted).form, hinted.modifiers).ptx, 74);
  EXPECT_EQ(since(*form_of(hinted).form, hinted.modifiers).sm, 80);
}

}  // namespace
}  // namespace heddle::ptx
