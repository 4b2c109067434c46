// What a cached result depends on: everything that clang found, and everything that it looked for in vain. Each test
// changes one such thing and nothing else, and looks at the value that the kernel then stores.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <fstream>
#include <string>
#include <vector>

#include "compile/clang.hpp"
#include "fixture.hpp"

namespace heddle::compile::testing {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

class Stale : public FreshCache {
 protected:
  fs::path value(const std::string& name, int v) const {
    return write(name, "#pragma once\n#define VALUE " + std::to_string(v) + "\n");
  }
  fs::path kernel(const std::string& includes) const {
    return write("k.cu", includes + "\n__global__ void k(int* p) { *p = VALUE; }\n");
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  CompileOptions folders(const std::vector<std::string>& names) const {
    CompileOptions options;
    for (const std::string& name : names) options.include_paths.push_back(at(name));
    return options;
  }
  // The kernel stores `expected`; the result comes from clang at first and from the cache after that.
  void compiles_to(int expected, const CompileOptions& options = {}) const {
    const CompileResult first = compile_cuda_file_detailed(folder_ / "k.cu", options);
    EXPECT_THAT(first.ptx, HasSubstr(", " + std::to_string(expected) + ";"));
    EXPECT_FALSE(first.from_cache);
    still(options);
  }
  void still(const CompileOptions& options = {}) const {
    EXPECT_TRUE(compile_cuda_file_detailed(folder_ / "k.cu", options).from_cache);
  }
  void never_cached(const CompileOptions& options = {}) const {
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(compile_cuda_file_detailed(folder_ / "k.cu", options).from_cache);
  }
};

TEST_F(Stale, AFileInAnEarlierFolder) {
  const CompileOptions options = folders({"ia", "ib"});
  kernel("#include <w.h>");
  value("ib/w.h", 1001);
  fs::create_directory(folder_ / "ia");
  compiles_to(1001, options);
  write("ia/other.h", "");
  still(options);
  fs::create_directory(folder_ / "ia/w.h");  // a folder is no header
  still(options);
  fs::remove(folder_ / "ia/w.h");
  value("ia/w.h", 1002);
  compiles_to(1002, options);
  fs::remove(folder_ / "ia/w.h");
  compiles_to(1001, options);
}

TEST_F(Stale, AFolderOfTheSearchPathThatWasMissing) {
  const CompileOptions options = folders({"ia", "ib"});
  kernel("#include \"w.h\"");
  value("ib/w.h", 1001);
  compiles_to(1001, options);
  value("ia/w.h", 1002);
  compiles_to(1002, options);
}

TEST_F(Stale, AFileNextToTheSource) {
  const CompileOptions options = folders({"ib"});
  kernel("#include \"sub/w.h\"");
  value("ib/sub/w.h", 1001);
  compiles_to(1001, options);
  value("sub/w.h", 1002);
  compiles_to(1002, options);
}

TEST_F(Stale, AFileNextToAHeader) {
  const CompileOptions options = folders({"ia", "ib"});
  kernel("#include <sub/x.h>");
  write("ia/sub/x.h", "#include \"w.h\"\n");
  value("ib/w.h", 1001);
  compiles_to(1001, options);
  value("ia/sub/w.h", 1002);
  compiles_to(1002, options);
}

TEST_F(Stale, TheAnswersOfHasInclude) {
  kernel(
      "#if __has_include(\"w.h\") || __has_include(<deep/er/w.h>)\n#define VALUE 1002\n#else\n#define VALUE "
      "1001\n#endif");
  const CompileOptions options = folders({"ia"});
  compiles_to(1001, options);
  write("w.h", "");
  compiles_to(1002, options);
  fs::remove(folder_ / "w.h");
  compiles_to(1001, options);
  write("ia/deep/er/w.h", "");
  compiles_to(1002, options);
}

TEST_F(Stale, TheAnswersOfHasIncludeInAHeader) {
  kernel("#include \"sub/asks.h\"");
  write("sub/asks.h",
        "#if defined(__has_include) && \\\n  __has_include /**/ ( \\\n<w.h>)\n#define VALUE 1002\n#else\n"
        "#define VALUE 1001\n#endif\n");
  const CompileOptions options = folders({"ia"});
  compiles_to(1001, options);
  value("ia/w.h", 7);
  compiles_to(1002, options);
}

TEST_F(Stale, WhereIncludeNextGoes) {
  const CompileOptions options = folders({"ia", "ib", "ic"});
  kernel("#include <w.h>");
  write("ia/w.h", "#include_next <w.h>\n");
  value("ic/w.h", 1001);
  compiles_to(1001, options);
  value("ib/w.h", 1002);
  compiles_to(1002, options);
}

TEST_F(Stale, TheEnvironmentsSearchPath) {
  kernel("#include <w.h>");
  value("ia/w.h", 1001);
  value("ib/w.h", 1002);
  for (const char* name : {"CPATH", "CPLUS_INCLUDE_PATH"}) {
    ::setenv(name, at("ia").c_str(), 1);
    compiles_to(1001);
    ::setenv(name, at("ib").c_str(), 1);
    compiles_to(1002);
    ::setenv(name, (at("ic") + ":" + at("ib")).c_str(), 1);
    compiles_to(1002);
    value("ic/w.h", 1003);
    compiles_to(1003);
    fs::remove_all(folder_ / "ic");
    ::unsetenv(name);
    EXPECT_THROW(compile_cuda_file(folder_ / "k.cu"), Error);
  }
}

TEST_F(Stale, WhatThePrecompiledHeadersWereMadeFrom) {
  // The prelude includes <limits.h>.
  kernel("#ifdef FROM_LIMITS\n#define VALUE FROM_LIMITS\n#else\n#define VALUE 1001\n#endif");
  fs::create_directory(folder_ / "ia");
  ::setenv("CPATH", at("ia").c_str(), 1);
  compiles_to(1001);
  write("ia/limits.h", "#define FROM_LIMITS 1002\n#include_next <limits.h>\n");
  compiles_to(1002);
  write("ia/limits.h", "#define FROM_LIMITS 1003\n#include_next <limits.h>\n");
  compiles_to(1003);
  fs::remove(folder_ / "ia/limits.h");
  compiles_to(1001);
}

TEST_F(Stale, AHeaderOfTheSystemIsHiddenForTheProgram) {
  kernel("#include <assert.h>\n#ifndef VALUE\n#define VALUE 1001\n#endif");
  const CompileOptions options = folders({"ia"});
  compiles_to(1001, options);
  value("ia/assert.h", 1002);
  compiles_to(1002, options);
}

TEST_F(Stale, LinksThatLeadElsewhere) {
  const CompileOptions options = folders({"link", "ic"});
  kernel("#include <w.h>");
  value("ia/w.h", 1001);
  value("ib/w.h", 1002);
  value("ic/w.h", 1003);
  fs::create_directory_symlink("ia", folder_ / "link");
  compiles_to(1001, options);
  fs::remove(folder_ / "link");
  fs::create_directory_symlink("ib", folder_ / "link");
  compiles_to(1002, options);
  fs::remove(folder_ / "ib/w.h");
  fs::create_symlink("../target.h", folder_ / "ib/w.h");  // leads nowhere yet
  compiles_to(1003, options);
  value("target.h", 1004);
  compiles_to(1004, options);
}

TEST_F(Stale, FoldersThatAreReplaced) {
  const CompileOptions options = folders({"ia", "ib"});
  kernel("#include <sub/w.h>");
  value("ib/sub/w.h", 1001);
  value("new/sub/w.h", 1002);
  fs::create_directory(folder_ / "ia");
  compiles_to(1001, options);
  fs::remove(folder_ / "ia");
  fs::rename(folder_ / "new", folder_ / "ia");
  compiles_to(1002, options);
}

TEST_F(Stale, OneFileUnderTwoNames) {
  const CompileOptions options = folders({"ia"});
  write("k.cu", "#define N 1001\n#include <a.h>\n#include <b.h>\n__global__ void k(int* p) { *p = v; }\n");
  write("ia/a.h", "#pragma once\n#ifdef SEEN\n#define v 1002\n#else\n#define v N\n#define SEEN\n#endif\n");
  fs::create_symlink("a.h", folder_ / "ia/b.h");
  compiles_to(1001, options);
  fs::remove(folder_ / "ia/b.h");
  fs::copy_file(folder_ / "ia/a.h", folder_ / "ia/b.h");  // the same text, but no longer the same file
  compiles_to(1002, options);
}

TEST_F(Stale, OneFolderUnderTwoNames) {
  // The second is passed over, and the first then stands behind ic: <w.h> of b is found only when b is a folder itself.
  const CompileOptions options = folders({"ia", "b", "ic"});
  kernel("#include <w.h>");
  write("ia/other.h", "");
  value("ic/w.h", 1001);
  fs::create_directory_symlink("ia", folder_ / "b");
  compiles_to(1001, options);
  fs::remove(folder_ / "b");
  fs::create_directory(folder_ / "b");
  value("b/w.h", 1002);
  compiles_to(1002, options);
}

TEST_F(Stale, NamesThatMacrosMake) {
  const CompileOptions options = folders({"ia", "ib"});
  kernel("#define NAME <w.h>\n#include NAME");
  value("ib/w.h", 1001);
  fs::create_directory(folder_ / "ia");
  compiles_to(1001, options);
  value("ia/w.h", 1002);
  compiles_to(1002, options);
}

TEST_F(Stale, OptionsThatIncludeFiles) {
  CompileOptions options = folders({"ia", "ib"});
  options.extra = {"-include", "w.h", "-I", at("ic")};
  kernel("");
  value("ic/w.h", 1001);
  compiles_to(1001, options);
  value("ib/w.h", 1002);
  compiles_to(1002, options);
}

TEST_F(Stale, TheOrderOfFoldersThatHoldAnSdk) {
  // A folder with cuda_runtime_api.h comes behind Heddle's own headers.
  CompileOptions options = folders({"ia"});
  kernel("#include <math_constants.h>\n#ifndef VALUE\n#define VALUE 1001\n#endif");
  write("ia/cuda_runtime_api.h", "");
  value("ia/math_constants.h", 1002);
  compiles_to(1001, options);
  fs::remove(folder_ / "ia/cuda_runtime_api.h");
  compiles_to(1002, options);
}

TEST_F(Stale, WhatCannotBeListedIsNotCached) {
  value("w.h", 1001);
  for (const char* source :
       {"#define NAME \"w.h\"\n#if __has_include(NAME)\n#include NAME\n#endif",
        "#define HAS __has_include\n#if HAS(\"w.h\")\n#include \"w.h\"\n#endif", "#define VALUE sizeof(__TIME__)",
        "#define VALUE sizeof(__DATE__)", "const unsigned char text[] = {\n#embed \"w.h\"\n};\n#define VALUE 1001"}) {
    SCOPED_TRACE(source);
    kernel(source);
    never_cached();
  }
  kernel("#include \"w.h\"");
  write("options", "-DX");
  never_cached({.extra = {"@" + at("options")}});
}

TEST_F(Stale, WhatChangesDuringTheCompilationIsNotKept) {
  kernel("#include <w.h>");
  const CompileOptions options = folders({"ia", "there", "ib"});
  fs::create_directory(folder_ / "there");
  // A clang that changes something when it is done, once.
  const auto script = write("clang.sh", "#!/bin/sh\n\"" + find_clang().path.string() +
                                            "\" \"$@\"\nstatus=$?\ncase \"$*\" in *k.cu) [ -f '" + at("change") +
                                            "' ] && . '" + at("change") + "';; esac\nexit $status\n");
  fs::permissions(script, fs::perms::owner_all);
  ::setenv("HEDDLE_CLANG", script.c_str(), 1);
  const std::string print = "printf '#define VALUE 1002\\n' > ";
  for (const std::string& change :
       {print + at("ib/w.h"), "mkdir " + at("ia") + " && " + print + at("ia/w.h"), "mv " + at("old") + " " + at("ia"),
        "mv " + at("old/w.h") + " " + at("there/w.h"), "rm " + at("ib/w.h")}) {
    SCOPED_TRACE(change);
    for (const char* name : {"ia", "there/w.h"}) fs::remove_all(folder_ / name);
    value("ib/w.h", 1001);
    value("old/w.h", 1002);
    write("change", change + "\nrm " + at("change") + "\n");
    EXPECT_THAT(compile_cuda_file(folder_ / "k.cu", options), HasSubstr(", 1001;"));
    ASSERT_FALSE(fs::exists(folder_ / "change"));
    if (change.starts_with("rm")) {
      EXPECT_THROW(compile_cuda_file(folder_ / "k.cu", options), Error);
    } else {
      EXPECT_THAT(compile_cuda_file(folder_ / "k.cu", options), HasSubstr(", 1002;"));
    }
    fs::remove_all(folder_ / "cache/compile");
  }
}

}  // namespace
}  // namespace heddle::compile::testing
