# Compiles the C++ samples of the pages with COMPILER. SOURCE is the project's root, WORK a folder to work in.
#
# A block with a main is a program. The other blocks of a page are one function in the order in which they stand, so that
# a later one may use what an earlier one has made; what the reader is to have besides are the function's parameters.
# Blocks of CUDA C++ are left out.
set(pages README.md docs/getting-started.md docs/api.md)
set(parameters "[[maybe_unused]] int n, [[maybe_unused]] unsigned blocks, [[maybe_unused]] const std::string& ptx_text")
string(APPEND parameters ", [[maybe_unused]] const std::string& source_text")

function(compile name text)
  file(WRITE ${WORK}/${name}.cpp "${text}")
  execute_process(COMMAND ${COMPILER} -std=c++20 -O1 -Wall -Wextra -Wpedantic -Werror ${ARGN} -I${SOURCE}/include
    -c ${WORK}/${name}.cpp -o ${WORK}/${name}.o RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${name} does not compile:\n${output}")
  endif()
endfunction()

# The text between the next ```cpp and its end, and what is left of the page behind it.
macro(next_block)
  set(block "")
  string(FIND "${page_text}" "```cpp\n" begin)
  if(NOT begin EQUAL -1)
    math(EXPR begin "${begin} + 7")
    string(SUBSTRING "${page_text}" ${begin} -1 page_text)
    string(FIND "${page_text}" "```" end)
    string(SUBSTRING "${page_text}" 0 ${end} block)
    string(SUBSTRING "${page_text}" ${end} -1 page_text)
  endif()
endmacro()

set(compiled 0)
foreach(page ${pages})
  file(READ ${SOURCE}/${page} page_text)
  string(MAKE_C_IDENTIFIER "${page}" name)
  set(includes "")
  set(fragments "")
  set(programs 0)
  next_block()
  while(NOT block STREQUAL "")
    if(block MATCHES "int main\\(")
      math(EXPR programs "${programs} + 1")
      compile(${name}_${programs} "${block}")
      math(EXPR compiled "${compiled} + 1")
    elseif(NOT block MATCHES "__global__")
      string(REGEX MATCHALL "#include[^\n]*\n" found "${block}")
      list(APPEND includes ${found})
      string(REGEX REPLACE "#include[^\n]*\n" "" block "${block}")
      string(APPEND fragments "${block}")
    endif()
    next_block()
  endwhile()
  if(NOT fragments STREQUAL "")
    list(JOIN includes "" includes)
    # A sample shows where a value comes from, and need not use it.
    compile(${name} "#include <heddle/heddle.hpp>\n#include <cstdio>\n#include <string>\n${includes}void sample(${parameters}) {\n${fragments}}\n"
      -Wno-unused-variable -Wno-unused-but-set-variable)
    math(EXPR compiled "${compiled} + 1")
  endif()
endforeach()
if(compiled LESS 3)
  message(FATAL_ERROR "${compiled} samples were found; README.md, docs/getting-started.md and docs/api.md have one each")
endif()
