// How it is found out what a compilation depends on: names in sources, clang's search path, options, and the record.
#include "compile/dependencies.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>

#include "compile/environment.hpp"
#include "compile/includes.hpp"
#include "compile/lookups.hpp"
#include "compile/search_path.hpp"
#include "fixture.hpp"

namespace heddle::compile::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// As text: name, in the brackets or quotes that it had, ">" behind it where the search may begin anywhere.
std::vector<std::string> names(std::string_view source) {
  std::vector<std::string> texts;
  for (const Mention& mention : find_mentions(source).names) {
    texts.push_back((mention.quoted ? '"' + mention.name + '"' : '<' + mention.name + '>') + (mention.next ? ">" : ""));
  }
  return texts;
}

TEST(Mentions, AreFoundHoweverTheyAreWritten) {
  EXPECT_THAT(names("#include <a.h>\n  #  include \"b.h\"\n#include<c/d.h>//\n#include_next <e.h>\n#import \"f.h\"\n"),
              ElementsAre("<a.h>", "\"b.h\"", "<c/d.h>", "<e.h>>", "\"f.h\""));
  EXPECT_THAT(
      names("#inc\\\nlude \"a.h\"\n#include \\\r\n <b\\ \n.h>\n# /* x */ include /* y */ \"c.h\"\n%:include <d.h>\n"),
      ElementsAre("\"a.h\"", "<b.h>", "\"c.h\"", "<d.h>"));
  EXPECT_THAT(names("#if __has_include(<a.h>) || defined X && __has_include_next ( \"b.h\" )\n"),
              ElementsAre("<a.h>", "\"b.h\">"));
  EXPECT_THAT(names("#define ASK __has_include(<a.h>)\n"), ElementsAre("<a.h>"));
  EXPECT_THAT(names("#include <a.h>\n#include <a.h>\n#include \"a.h\"\n"), ElementsAre("<a.h>", "\"a.h\""));
  EXPECT_THAT(names("?\?=include <a.h>\n#inc?\?/\nlude <b.h>\n"), ElementsAre("<a.h>", "<b.h>"));
  EXPECT_THAT(names("#pragma GCC dependency \"a.h\"\n"), ElementsAre("\"a.h\""));
}

TEST(Mentions, AreNotMissedInWhatMayBeCode) {
  // Text that is no directive only makes the list longer.
  EXPECT_THAT(names("const char* s = \"/*\";\n#include <a.h>\nconst char* t = \"*/\";\n"), ElementsAre("<a.h>"));
  EXPECT_THAT(names("R\"(\n#include <a.h>\n)\"\n#if 0\n#include <b.h>\n#endif\n// #include <c.h>\n"),
              ElementsAre("<a.h>", "<b.h>", "<c.h>"));
  EXPECT_THAT(names("int include = 1; include(x); includes <a.h>\n#include <\n"), IsEmpty());
}

TEST(Mentions, OfMacrosAreSaidToBeSo) {
  EXPECT_TRUE(find_mentions("#include NAME\n").computed_include);
  EXPECT_TRUE(find_mentions("  # /* x */ include /* y */ NAME(x)\n").computed_include);
  EXPECT_TRUE(find_mentions("/* x\n*/ #include NAME").computed_include);
  EXPECT_FALSE(find_mentions("// to include NAME\nint include;\n").computed_include);
  for (const char* source : {"#if __has_include(NAME)\n", "#define HAS(x) __has_include(x)\n",
                             "#define HAS __has_include\n", "#include_next NAME\n", "#if CAT(__has_, include)(<a.h>)\n",
                             "#define HAS __has_##include\n", "#if CAT(_, _has_include)(<a.h>)\n", "int x = __TIME__;",
                             "#embed \"x\"\n", "#if __has_embed(\"x\")\n", "#define HAS /*\n*/ __has_include\n"}) {
    EXPECT_THAT(find_mentions(source).unknowable, Not(IsEmpty())) << source;
  }
  for (const char* source :
       {"#ifdef __has_include\n#endif\n", "#if defined(__has_include) && __has_include(<a.h>)\n", "int __has_x;\n",
        "#define X __has_##Y\n", "// as __has_include says\n", "   #include's protect themselves\n", "int embed;\n"}) {
    EXPECT_THAT(find_mentions(source).unknowable, IsEmpty()) << source;
  }
}

TEST(Mentions, StandInOptionsToo) {
  const auto names = [](const std::vector<std::string>& options) { return find_mentions_in_options(options).names; };
  EXPECT_THAT(names({"-include", "a.h", "-imacrosb.h", "-DX=__has_include(<c.h>)"}),
              ElementsAre(Mention{"a.h", true}, Mention{"b.h", true}, Mention{"c.h", false}));
  EXPECT_THAT(find_mentions_in_options({"-D", "HAS=__has_include"}).unknowable, Not(IsEmpty()));
}

TEST(SearchPaths, AreTakenOutOfTheDiagnostics) {
  std::string text =
      "clang: warning: x\nclang -cc1 version 19.1.7 based upon LLVM 19.1.7 default target y\n"
      "ignoring nonexistent directory \"/no where\"\nignoring duplicate directory \"/b\"\n"
      "  as it is a non-system directory that duplicates a system directory\n"
      "fatal error: file has been modified since the precompiled header was built\n"
      "#include \"...\" search starts here:\n q\n#include <...> search starts here:\n /a\n /b c\nEnd of search list.\n"
      "k.cu:1:2: warning: z\n";
  SearchPath path;
  ASSERT_TRUE(take_search_path(text, path));
  const std::string rest =
      "clang: warning: x\nfatal error: file has been modified since the precompiled header was built\n"
      "k.cu:1:2: warning: z\n";
  EXPECT_EQ(text, rest);
  EXPECT_THAT(path.quoted, ElementsAre("q"));
  EXPECT_THAT(path.angled, ElementsAre("/a", "/b c"));
  EXPECT_THAT(path.missing, ElementsAre("/no where"));
  EXPECT_THAT(path.doubled, ElementsAre("/b"));
  EXPECT_FALSE(take_search_path(text, path));
  EXPECT_EQ(text, rest);
}

TEST(Environment, IsWhatTheCompilerReads) {
  ::setenv("CPATH", "/a::/b", 1);
  ::setenv("SOMETHING_ELSE", "1", 1);
  EXPECT_THAT(compiler_environment(), Contains("CPATH=/a::/b"));
  EXPECT_THAT(compiler_environment(), Not(Contains(HasSubstr("SOMETHING_ELSE"))));
  EXPECT_THAT(environment_include_paths(), ElementsAre("/a", ".", "/b"));
  ::unsetenv("CPATH");
  ::unsetenv("SOMETHING_ELSE");
}

TEST(Environment, OptionsThatMayReadMoreThanHeadersAreKnown) {
  EXPECT_TRUE(only_reads_headers({"-ffp-contract=off", "-Wall", "-std=c++20", "-I", "x", "-isystem", "@y", "-include",
                                  "z.h", "-fno-unroll-loops", "-mllvm", "-nvptx-fma-level=2", "-Xclang", "-fcuda-x"}));
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"@file"},
                                             {"-fprofile-use=x"},
                                             {"-fprofile-use"},
                                             {"-ivfsoverlay", "x"},
                                             {"-fplugin=x"},
                                             {"--config=x"},
                                             {"-mllvm", "-x=file"},
                                             {"-Xclang", "-load", "-Xclang", "x"},
                                             {"-Wp,-include,x"},
                                             {"-fmodules"},
                                             {"-fmodule-file=x"},
                                             {"-fsanitize-ignorelist=x"},
                                             {"x.cpp"},
                                             {"-isysroot", "x"}}) {
    EXPECT_FALSE(only_reads_headers(options)) << options[0];
  }
}

Lookups some_lookups() {
  return {{{"/a", 0}, {"", 1}, {"/absent", Lookups::none}},
          {{0, "x\ny", "-"}, {0, "z", "!"}, {1, "w.h", "c123", 2}, {1, "v.h", "+", 2}},
          {{"/usr/lib/gcc", "abc"}}};
}

TEST(LookupRecords, AreReadAsWritten) {
  std::string text;
  append(text, some_lookups());
  std::string_view rest = text;
  const auto again = take_lookups(rest);
  ASSERT_TRUE(again);
  EXPECT_TRUE(rest.empty());
  std::string second;
  append(second, *again);
  EXPECT_EQ(text, second);
}

TEST(LookupRecords, DamageIsNotFollowed) {
  std::string text;
  append(text, some_lookups());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string_view cut = std::string_view(text).substr(0, i);
    EXPECT_FALSE(take_lookups(cut)) << i;
    std::string bad = text;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    std::string_view rest = bad;
    if (const auto lookups = take_lookups(rest)) still_true(*lookups);  // must not crash
  }
}

TEST(MakeRule, EscapesAndContinuationsAreUndone) {
  EXPECT_THAT(parse_make_rule("x: a.cu \\\n  /b\\ c/d.h e$$f.h \\\n  g\\#h.h\n"),
              ElementsAre("a.cu", "/b c/d.h", "e$f.h", "g#h.h"));
  EXPECT_THAT(parse_make_rule(""), IsEmpty());
}

TEST(UnresolvedFunctions, AreThoseNoDeviceProvides) {
  EXPECT_THAT(unresolved_functions(".extern .func (.param .b32 r) vprintf\n(\n)\n;\n"
                                   ".extern .func  (.param .b64 func_retval0) sin\n(\n\t.param .b64 p\n)\n;\n"
                                   ".extern .func trouble(.param .b32 a);\n.func defined() {}\n"),
              ElementsAre("sin", "trouble"));
}

}  // namespace
}  // namespace heddle::compile::testing
