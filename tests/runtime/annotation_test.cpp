// What a caller says that a kernel does to its arrays, against its PTX.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/fixture.hpp"

namespace heddle::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class AnnotationTest : public RuntimeTest {
 protected:
  // A module of its own, for what is only asked about.
  Module module_of(const char* body) {
    const std::string text = std::string(".version 7.8\n.target sm_80\n.address_size 64\n") + body;
    return Module(std::make_shared<runtime::ModuleState>(
        core_, std::make_shared<const ptx::Module>(ptx::parse(text, "own.ptx")), text, "own.ptx"));
  }
};

TEST_F(AnnotationTest, WriteOnlyIsFound) {
  start({"near"});
  EXPECT_EQ(module_->kernel("fill").info().parameters[2].access, Access::write);
  EXPECT_EQ(module_->kernel("copy_first").info().parameters[2].access, Access::write);
  EXPECT_EQ(module_->kernel("add_to").info().parameters[2].access, Access::read_write);
}

// Write-only means that some bytes are written: the others must be there.
TEST_F(AnnotationTest, WriteOnlyKeepsWhatIsNotWritten) {
  start({"far"});
  Array<float> data = floats({1, 2, 3}), fresh = array<float>(3);
  launch("fill", {}, 1, 5.0f, data);
  launch("fill", {}, 1, 5.0f, fresh);
  EXPECT_THAT(data.read(), ElementsAre(5, 2, 3));
  EXPECT_THAT(fresh.read(), ElementsAre(5, 0, 0));
}

TEST_F(AnnotationTest, OutBringsAndFillsNothing) {
  start({"far"});
  Array<float> data = floats({1, 2}), fresh = array<float>(2);
  launch("fill", {}, 2, 5.0f, out(data));
  launch("fill", {}, 2, 6.0f, out(fresh));
  core_->synchronize();
  EXPECT_EQ(logged("far: copy 8"), 0);
  EXPECT_EQ(logged("far: fill 8"), 0);
  EXPECT_THAT(data.read(), ElementsAre(5, 5));
  EXPECT_THAT(fresh.read(), ElementsAre(6, 6));
  EXPECT_EQ(logged("far: copy 8"), 2);  // back
}

TEST_F(AnnotationTest, OutOfASliceIsOfThatSlice) {
  start({"far"});
  Array<float> data = floats({1, 2, 3, 4});
  launch("fill", {}, 2, 5.0f, out(data.slice(1, 2)));
  EXPECT_THAT(data.read(), ElementsAre(1, 5, 5, 4));
  EXPECT_EQ(logged("far: copy 16"), 0);
}

TEST_F(AnnotationTest, OutOfARefusedLaunchKeepsTheBytes) {
  start({"far"});
  Array<float> data = floats({1, 2});
  EXPECT_THROW(launch("fill", {.block = {2000}}, 2, 5.0f, out(data)), Error);
  EXPECT_THAT(data.read(), ElementsAre(1, 2));
  launch("fill", {}, 1, 5.0f, data);
  EXPECT_THROW(launch("fill", {.block = {2000}}, 2, 6.0f, out(data)), Error);
  EXPECT_THAT(data.read(), ElementsAre(5, 2));
}

TEST_F(AnnotationTest, OutIsOrderedLikeAnyWriter) {
  start({"near"});
  Array<float> data = floats({1}), seen = floats({0}), last = floats({0});
  launch("copy_first", {}, 1, in(data), out(seen));
  launch("fill", {}, 1, 5.0f, out(data));
  launch("copy_first", {}, 1, in(data), out(last));
  EXPECT_THAT(last.read(), ElementsAre(5));
  EXPECT_THAT(seen.read(), ElementsAre(1));
}

TEST_F(AnnotationTest, ReplayedLaunchesKeepTheirAnnotations) {
  start({"far"});
  Array<float> data = floats({1, 2}), seen = floats({0, 0});
  for (int i = 0; i < 60; ++i) {
    launch("fill", {}, 2, static_cast<float>(i), out(data));
    launch("copy_first", {}, 2, in(data), out(seen));
    ASSERT_THAT(seen.read(), ElementsAre(i, i));
  }
  EXPECT_GT(core_->replayer().graphs(), 10u);
  EXPECT_EQ(logged("far: copy 8"), 60);
  // The same launch without the annotation is another one.
  data.write()[1] = 9;
  launch("fill", {}, 1, 1.0f, data);
  launch("copy_first", {}, 2, data, seen);
  EXPECT_THAT(seen.read(), ElementsAre(1, 9));
}

TEST_F(AnnotationTest, ThoseThatThePtxContradictsAreRefusedWithTheInstruction) {
  start({"near"});
  Array<float> data = floats({1});
  EXPECT_THAT(
      message_of([&] { launch("add_to", {}, 1, 1.0f, in(data)); }),
      testing::AllOf(HasSubstr("argument 3 of kernel add_to, parameter data"),
                     HasSubstr("is said to be 'in', but the kernel writes there: 'st.global.f32 [%rd2], %f3;' in "
                               "line 26 of the PTX"),
                     HasSubstr("say 'inout', or nothing")));
  EXPECT_THAT(message_of([&] { launch("add_to", {}, 1, 1.0f, out(data)); }),
              HasSubstr("is said to be 'out', but the kernel reads there: 'ld.global.f32 %f2, [%rd2];' in line 24"));
  EXPECT_THAT(message_of([&] { launch("add_to", {}, 1, in(1.0f), data); }),
              HasSubstr("was given a floating-point number that is said to be 'in'; arrays and slices alone"));
  EXPECT_THAT(data.read(), ElementsAre(1));
  launch("add_to", {}, 1, 1.0f, inout(data));
  EXPECT_THAT(data.read(), ElementsAre(2));
}

TEST_F(AnnotationTest, InstructionsOfCalledFunctionsAndSourcesAreQuoted) {
  start({"near"});
  const Module module = module_of(R"(.file 1 "scale.cu"
.func store(.param .u64 p) {
  .reg .b64 %rd<2>;
  .loc 1 7 3
  ld.param.u64 %rd1, [p];
  st.global.u32 [%rd1], 1; // here
  ret;
}
.visible .entry k(.param .u64 x) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [x];
  { .param .u64 a; st.param.u64 [a], %rd1; call store, (a); }
  ret;
}
)");
  EXPECT_THAT(message_of([&] { static_cast<void>(module.kernel("k", "const pointer")); }),
              HasSubstr("parameter 1 of the signature of kernel k, at character 1, is said to be 'in', but the kernel "
                        "writes there: 'st.global.u32 [%rd1], 1; // here' in line 9 of the PTX, in store, scale.cu:7"));
}

// Where the PTX does not tell, what the caller says counts, but for what is found all the same.
TEST_F(AnnotationTest, ThatThePtxCannotTellArePromises) {
  start({"near"});
  EXPECT_EQ(module_->kernel("hides").info().parameters[1].access, Access::unknown);
  EXPECT_EQ(module_->kernel("hides", "pointer, in pointer").info().parameters[1].access, Access::read);
  EXPECT_EQ(module_->kernel("hides", "pointer, out pointer").info().parameters[1].access, Access::write);
  EXPECT_EQ(module_->kernel("hides", "pointer, inout pointer").info().parameters[1].access, Access::read_write);
  Array<float> data = floats({7}), a = floats({0, 0}), b = floats({0, 0});
  launch("hides", {}, a, in(data));
  launch("hides", {}, b, in(data));
  EXPECT_EQ(devices_[0]->queues(), 2u);  // both only read data
  EXPECT_EQ(a.read()[0], 7);
  EXPECT_EQ(b.read()[0], 7);
  const Module module = module_of(R"(
.visible .entry both(.param .u64 x, .param .u64 where) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [where];
  st.global.u64 [%rd2], %rd1;
  red.global.add.u32 [%rd1], 1;
  ret;
}
)");
  EXPECT_THAT(message_of([&] { static_cast<void>(module.kernel("both", "in pointer, pointer")); }),
              HasSubstr("writes there: 'red.global.add.u32 [%rd1], 1;' in line 10"));
}

TEST_F(AnnotationTest, InoutIsTakenAtItsWord) {
  start({"near"});
  Array<float> from = floats({1}), a = floats({0}), b = floats({0});
  launch("copy_first", {}, 1, inout(from), a);
  launch("copy_first", {}, 1, inout(from), b);
  EXPECT_EQ(devices_[0]->queues(), 1u);
}

TEST_F(AnnotationTest, SignaturesCountForAllLaunches) {
  start({"far"});
  const char* const nidl = "copy_first(n: sint32, from: in pointer float, to: out pointer float)";
  Array<float> from = floats({3}), to = floats({0});
  launch_as("copy_first", nidl, 1, from, to);
  EXPECT_THAT(to.read(), ElementsAre(3));
  EXPECT_EQ(logged("far: copy 4"), 2);  // `from` there, `to` back
  EXPECT_EQ(module_->kernel("copy_first", nidl).history().launches, 1u);
  EXPECT_EQ(module_->kernel("copy_first").history().launches, 1u);
  EXPECT_EQ(module_->kernel("copy_first", nidl).state(), module_->kernel("copy_first", nidl).state());
  EXPECT_THAT(message_of([&] { launch_as("copy_first", nidl, 1, 2.0f, to); }), HasSubstr("parameter from (float*)"));
  EXPECT_THAT(message_of([&] { launch_as("copy_first", nidl, 1, out(from), to); }),
              HasSubstr("is said to be 'out', and by the kernel's signature to be 'in'"));
  launch_as("add_to", "sint32, float, inout pointer", 1, 1.0f, to);
  EXPECT_THAT(to.read(), ElementsAre(4));
}

TEST_F(AnnotationTest, SignaturesMustFitThePtx) {
  start({"near"});
  const auto refusal = [&](const char* kernel, const char* signature) {
    return message_of([&] { static_cast<void>(module_->kernel(kernel, signature)); });
  };
  EXPECT_THAT(refusal("add_to", "sub_from(n: sint32, v: float, d: pointer)"),
              HasSubstr("the signature is that of a kernel 'sub_from', and the kernel's name is add_to"));
  EXPECT_THAT(refusal("add_to", "sint32, float"), HasSubstr("has 2 parameters, and in the PTX there are 3"));
  EXPECT_THAT(refusal("add_to", "add_to(n: sint64, v: float, d: pointer)"),
              HasSubstr("parameter 1 (n) of the signature of kernel add_to, at character 8, is sint64, which has 8 "
                        "bytes; in the PTX it is n (.u32, 4 bytes)"));
  EXPECT_THAT(refusal("add_to", "float, float, pointer"), HasSubstr("is float, a floating-point number; in the PTX"));
  EXPECT_THAT(refusal("add_to", "sint32, uint32, pointer"), HasSubstr("parameter 2 of the signature"));
  EXPECT_THAT(refusal("add_to", "sint32, float, sint64"), HasSubstr("is sint64, a number; in the PTX it is data (.u64, "
                                                                    "8 bytes, a pointer)"));
  EXPECT_THAT(refusal("structure", "pointer"), HasSubstr("which has 8 bytes; in the PTX it is plane"));
  EXPECT_EQ(refusal("structure", "struct[24]"), "no error");
  EXPECT_EQ(refusal("_Z4blurIfEvPT_", "blur(p: out pointer float)"), "no error");
  EXPECT_EQ(refusal("indexed", "pointer, uint64"), "no error");
}

TEST_F(AnnotationTest, SignaturesSayWhatIsAnIndex) {
  start({"near"});
  Array<float> data = floats({1, 2});
  launch("indexed", {}, data, std::uint64_t{8});
  launch_as("indexed", "pointer, uint64", data, std::uint64_t{8});
  EXPECT_THAT(message_of([&] { launch_as("indexed", "pointer, uint64", std::uint64_t{8}, data); }),
              HasSubstr("argument 1 of kernel indexed"));
}

// GrCUDA's checklist, row 12: without annotations results are the same, with fewer overlaps. The PTX of this kernel
// does not tell what it does, so that its arrays are as unannotated ones of GrCUDA are.
TEST_F(AnnotationTest, WithoutThemResultsAreTheSameWithFewerOverlaps) {
  for (const bool said : {true, false}) {
    start({"near"});
    Array<float> from = floats({1}), a = floats({0, 0}), b = floats({0, 0});
    for (Array<float>* to : {&a, &b}) {
      if (said)
        launch("hides", {}, *to, cst(from));
      else
        launch("hides", {}, *to, from);
    }
    EXPECT_EQ(devices_[0]->queues(), said ? 2u : 1u);
    EXPECT_EQ(a.read()[0], 1);
    EXPECT_EQ(b.read()[0], 1);
  }
}

}  // namespace
}  // namespace heddle::tests
