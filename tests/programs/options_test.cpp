#include "programs/cc/parse_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "heddle/error.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::programs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string refusal(const std::vector<std::string>& words) {
  try {
    parse_cc_options(words);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(CcOptions, ValuesComeInEveryForm) {
  const CcOptions options = parse_cc_options({"-Ia",
                                              "-I",
                                              "b,c",
                                              "--include-path=d",
                                              "-DX=1",
                                              "-D",
                                              "Y",
                                              "-UZ",
                                              "-Lx",
                                              "-L",
                                              "y",
                                              "-lm",
                                              "-l",
                                              "pthread",
                                              "-O2",
                                              "-o",
                                              "out",
                                              "-std=c++20",
                                              "-Xcompiler",
                                              "-Wall,-Wextra",
                                              "--compiler-options=-fopenmp",
                                              "-Xlinker=-s",
                                              "a.cu"});
  EXPECT_THAT(options.include_paths, ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(options.defines, ElementsAre("X=1", "Y", "-Z"));
  EXPECT_THAT(options.library_paths, ElementsAre("x", "y"));
  EXPECT_THAT(options.libraries, ElementsAre("m", "pthread"));
  EXPECT_THAT(options.host, ElementsAre("-Wall", "-Wextra", "-fopenmp"));
  EXPECT_THAT(options.linker, ElementsAre("-s"));
  EXPECT_EQ(options.host_opt, "-O2");
  EXPECT_EQ(options.output, "out");
  EXPECT_EQ(options.standard, "c++20");
}

TEST(CcOptions, WordsForOtherToolsAreSeparatedAsInAShell) {
  const auto host = [](const char* word) { return parse_cc_options({"-Xcompiler", word, "a.cu"}).host; };
  EXPECT_THAT(host("-Wall -fopenmp"), ElementsAre("-Wall", "-fopenmp"));
  EXPECT_THAT(host(" -Wall,-O2  -g "), ElementsAre("-Wall", "-O2", "-g"));
  EXPECT_THAT(host("-fA='x y' -fB=\"p,q\""), ElementsAre("-fA=x y", "-fB=p,q"));
  EXPECT_THAT(host("-fA=\\\"x\\\" -Wl\\,-z\\,now"), ElementsAre("-fA=\"x\"", "-Wl,-z,now"));
  // What is for the preprocessor is for device code, too.
  const CcOptions options = parse_cc_options({"-Xcompiler", "-DA='x y',-UB,-Ia -I b -iquote c", "a.cu"});
  EXPECT_THAT(options.host, IsEmpty());
  EXPECT_THAT(options.defines, ElementsAre("A=x y", "-B"));
  EXPECT_THAT(options.include_paths, ElementsAre("a", "b"));
  EXPECT_THAT(options.quoted_include_paths, ElementsAre("c"));
  EXPECT_THAT(host("''"), IsEmpty());
  EXPECT_THAT(parse_cc_options({"-Xlinker", "-rpath /tmp", "--linker-options=-z,now", "a.cu"}).linker,
              ElementsAre("-rpath", "/tmp", "-z", "now"));
}

TEST(CcOptions, TheLinkersWordsKeepTheirPlaces) {
  const CcOptions options = parse_cc_options(
      {"a.o", "-Xlinker", "--whole-archive", "b.a", "-lc", "-Xlinker=--no-whole-archive", "-Wl,-s", "d.o"});
  std::vector<std::string> words;
  for (const LinkWord& word : options.link_words) {
    switch (word.kind) {
      case LinkWord::Kind::input: words.push_back(options.inputs[word.index].name); break;
      case LinkWord::Kind::library: words.push_back("-l" + options.libraries[word.index]); break;
      case LinkWord::Kind::linker: words.push_back(options.linker[word.index]); break;
    }
  }
  EXPECT_THAT(words, ElementsAre("a.o", "--whole-archive", "b.a", "-lc", "--no-whole-archive", "-s", "d.o"));
}

TEST(CcOptions, FilesAreWhatTheirNamesSay) {
  const CcOptions options = parse_cc_options({"a.cu", "b.cpp", "c.c", "d.o", "e.so.1"});
  const auto language = [&](std::size_t i) { return options.inputs[i].language; };
  EXPECT_EQ(language(0), Language::cuda);
  EXPECT_EQ(language(1), Language::cxx);
  EXPECT_EQ(language(2), Language::c);
  EXPECT_EQ(language(3), Language::object);
  EXPECT_EQ(language(4), Language::object);
  EXPECT_EQ(parse_cc_options({"b.cpp", "-x", "cu"}).inputs[0].language, Language::cuda);
  EXPECT_EQ(parse_cc_options({"-x=cu", "b.cpp", "d.o"}).inputs[1].language, Language::object);
  EXPECT_THAT(refusal({"notes.txt"}), HasSubstr("notes.txt"));
  EXPECT_THAT(refusal({"a.ptx"}), HasSubstr("a.ptx"));
}

TEST(CcOptions, ArchitecturesAreThoseOfThePtx) {
  const auto of = [](std::vector<std::string> words) {
    words.push_back("a.cu");
    return parse_cc_options(words).architectures;
  };
  EXPECT_THAT(of({}), ElementsAre("80"));
  EXPECT_THAT(of({"-arch=sm_75"}), ElementsAre("75"));
  EXPECT_THAT(of({"-arch", "native"}), ElementsAre("80"));
  EXPECT_THAT(of({"-arch=compute_70", "-code=sm_70,compute_70"}), ElementsAre("70"));
  EXPECT_THAT(of({"-gencode", "arch=compute_86,code=sm_86", "-gencode=arch=compute_70,code=[sm_70,compute_70]",
                  "-gencode", "arch=compute_80,code=sm_80"}),
              ElementsAre("70", "86"));  // the oldest and the newest
  const CcOptions newest = parse_cc_options({"-arch=sm_120a", "a.cu"});
  EXPECT_THAT(newest.architectures, ElementsAre("90"));
  EXPECT_THAT(newest.notes, ElementsAre(HasSubstr("compute_90")));
  EXPECT_THAT(parse_cc_options({"-arch=sm_90a", "a.cu"}).notes, IsEmpty());
}

TEST(CcOptions, ArchitecturesThatAreNoneAreNamed) {
  for (const char* word : {"-arch=foo", "-arch=sm80", "-arch=80", "-arch=sm_", "-arch=sm_8", "-arch=sm_80x",
                           "-arch=sm_8000", "-code=sm_80,foo", "-gencode=foo", "-gencode=arch=compute_80",
                           "-gencode=arch=foo,code=sm_80", "-gencode=arch=compute_80,code=foo"})
    EXPECT_THAT(refusal({"a.cu", word}), HasSubstr("expected ")) << word;
  EXPECT_THAT(refusal({"a.cu", "-arch=sm80"}), HasSubstr("-arch sm80: 'sm80' is no architecture"));
  const auto of = [](const char* word) { return parse_cc_options({"a.cu", word}).architectures; };
  EXPECT_THAT(of("-arch=all-major"), ElementsAre("80"));
  EXPECT_THAT(of("-gencode=arch=compute_80,code=\"sm_80,compute_80\""), ElementsAre("80"));
  EXPECT_THAT(of("-gencode=arch=compute_90a,code=lto_90a"), ElementsAre("90"));
}

TEST(CcOptions, WhatIsUnknownIsNamed) {
  EXPECT_THAT(refusal({"a.cu", "--openmp"}), HasSubstr("--openmp is not an option"));
  EXPECT_THAT(refusal({"a.cu", "--frobnicate=3"}), HasSubstr("--frobnicate=3"));
  EXPECT_THAT(refusal({"a.cu", "-cubin"}), HasSubstr("-cubin is not supported"));
  EXPECT_THAT(refusal({"a.cu", "-dlto"}), HasSubstr("-dlto is not supported"));
  EXPECT_THAT(refusal({"a.cu", "-o"}), HasSubstr("-o lacks its value"));
  EXPECT_THAT(refusal({"a.cu", "-O7"}), HasSubstr("-O7"));
  EXPECT_THAT(refusal({"a.cu", "-shared=no"}), HasSubstr("takes no value"));
  EXPECT_THAT(refusal({"a.cu", "b.cu", "-c", "-o", "x.o"}), HasSubstr("-o"));
  EXPECT_THAT(refusal({"a.cu", "-c", "-ptx"}), HasSubstr("only one of"));
  EXPECT_THAT(refusal({}), HasSubstr("no input file"));
}

// Those of nvcc that begin with the letter of an option whose value may follow it at once.
TEST(CcOptions, LongNamesAreNoShortOnesWithAValue) {
  EXPECT_THAT(refusal({"a.cu", "-odir", "b"}), HasSubstr("-odir is not supported"));
  EXPECT_THAT(refusal({"a.cu", "--output-directory=b"}), HasSubstr("--output-directory=b is not supported"));
  EXPECT_THAT(refusal({"a.cu", "-outfile", "b"}), HasSubstr("-outfile is not an option"));
  EXPECT_THAT(refusal({"a.cu", "-lto"}), HasSubstr("-lto is not supported"));
  EXPECT_THAT(refusal({"a.cu", "-target-dir", "x86_64-linux"}), HasSubstr("-target-dir is not supported"));
  const CcOptions options = parse_cc_options({"a.cu", "-opt-info", "inline", "-ldir", "b", "-time", "c", "-optix"});
  EXPECT_THAT(options.libraries, IsEmpty());
  EXPECT_EQ(options.inputs.size(), 1);
  EXPECT_EQ(options.output, "ptix");
  const tests::TemporaryFolder folder;
  base::write_file_atomic(folder.path() / "options", std::string_view("-lm -g"));
  for (const char* option : {"-optf=", "--options-file="})
    EXPECT_THAT(parse_cc_options({"a.cu", option + (folder.path() / "options").string()}).libraries, ElementsAre("m"));
}

TEST(CcOptions, OptionsOfHostCompilersArePassedOn) {
  const CcOptions options =
      parse_cc_options({"a.cu", "-fopenmp", "-Wall", "-march=native", "-pthread", "-Ofast", "-Wl,-rpath,/x"});
  EXPECT_THAT(options.host, ElementsAre("-fopenmp", "-Wall", "-march=native", "-pthread"));
  EXPECT_THAT(options.linker, ElementsAre("-rpath", "/x"));
  EXPECT_EQ(options.host_opt, "-Ofast");
}

TEST(CcOptions, TheMacroForStreamsOfThreadsIsTheOption) {
  EXPECT_FALSE(parse_cc_options({"a.cu"}).per_thread_stream);
  EXPECT_TRUE(parse_cc_options({"a.cu", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"}).per_thread_stream);
  EXPECT_TRUE(parse_cc_options({"a.cu", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"}).per_thread_stream);
}

TEST(CcOptions, WhatChangesNothingIsTaken) {
  const CcOptions options = parse_cc_options({"a.cu",
                                              "-Xptxas",
                                              "-v,-O3",
                                              "--expt-relaxed-constexpr",
                                              "-expt-extended-lambda",
                                              "--extended-lambda",
                                              "-maxrregcount",
                                              "64",
                                              "-rdc=true",
                                              "-dc",
                                              "-t",
                                              "4",
                                              "-allow-unsupported-compiler",
                                              "-diag-suppress",
                                              "177,128",
                                              "-prec-div=false",
                                              "-lineinfo",
                                              "-m64",
                                              "--threads=2",
                                              "-Wno-deprecated-gpu-targets",
                                              "-cudart=shared"});
  EXPECT_EQ(options.phase, Phase::compile);
  EXPECT_TRUE(options.relocatable);
  EXPECT_FALSE(parse_cc_options({"a.cu", "-rdc=false"}).relocatable);
  EXPECT_EQ(parse_cc_options({"a.o", "b.o", "-dlink", "-o", "c.o"}).phase, Phase::device_link);
  EXPECT_TRUE(options.line_info);
  EXPECT_THAT(options.notes, IsEmpty());
  EXPECT_THAT(parse_cc_options({"a.cu", "-cudart", "static"}).notes, ElementsAre(HasSubstr("libcudart.so.12")));
}

TEST(CcOptions, CommasSeparateMacrosAsInNvcc) {
  const auto defines = [](const char* word) { return parse_cc_options({word, "a.cu"}).defines; };
  EXPECT_THAT(defines("-DA=1,B=2"), ElementsAre("A=1", "B=2"));
  EXPECT_THAT(defines("-DA,_b,C="), ElementsAre("A", "_b", "C="));
  EXPECT_THAT(defines("-DLIST=1\\,2\\,x"), ElementsAre("LIST=1,2,x"));
  EXPECT_THAT(defines("-DA=\"x,y\""), ElementsAre("A=\"x,y\""));
  EXPECT_THAT(defines("-DA=\"\\\"\",B"), ElementsAre("A=\"\\\"\"", "B"));
  EXPECT_THAT(defines("-DF(x,y)=x+y"), ElementsAre("F(x,y)=x+y"));
  EXPECT_THAT(defines("-DA={x,y},B=f(x,y)"), ElementsAre("A={x,y}", "B=f(x,y)"));
  EXPECT_THAT(defines("-DA=1,2"), ElementsAre("A=1,2")) << "no name";
  EXPECT_THAT(defines("-DA=1,"), ElementsAre("A=1,"));
  EXPECT_THAT(defines("-UA,B"), ElementsAre("-A", "-B"));
}

TEST(CcOptions, ResponseFiles) {
  tests::TemporaryFolder folder;
  const std::string outer = (folder.path() / "outer").string(), inner = (folder.path() / "inner").string();
  base::write_file_atomic(outer, std::string_view("-I'a b' @" + inner + "\n-D\"X=\\\"1 2\\\"\""));
  base::write_file_atomic(inner, std::string_view("-O3\n\t-c"));
  const CcOptions options = parse_cc_options({"@" + outer, "a.cu"});
  EXPECT_THAT(options.include_paths, ElementsAre("a b"));
  EXPECT_THAT(options.defines, ElementsAre("X=\"1 2\""));
  EXPECT_EQ(options.host_opt, "-O3");
  EXPECT_EQ(options.phase, Phase::compile);
  base::write_file_atomic(inner, std::string_view("@" + inner));
  EXPECT_THAT(refusal({"@" + inner}), HasSubstr("deep"));
  EXPECT_THAT(refusal({"@" + (folder.path() / "none").string()}), HasSubstr("none"));
}

TEST(CcOptions, StandardsOfLanguages) {
  const auto standard = [](const char* word, Language language) {
    return host_standard(parse_cc_options({std::string("-std=") + word, "a.cu"}), language);
  };
  EXPECT_EQ(standard("c++11", Language::cuda), "c++17");  // Heddle's headers need that
  EXPECT_EQ(standard("gnu++14", Language::cuda), "gnu++17");
  EXPECT_EQ(standard("c++20", Language::cuda), "c++20");
  EXPECT_EQ(standard("c++11", Language::cxx), "c++11");
  EXPECT_EQ(standard("c++11", Language::c), "");
  EXPECT_EQ(standard("c11", Language::c), "c11");
  EXPECT_EQ(standard("c11", Language::cxx), "");
  EXPECT_EQ(host_standard(parse_cc_options({"a.cu"}), Language::cuda), "c++17");
}

}  // namespace
}  // namespace heddle::programs
