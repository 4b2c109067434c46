# Small function family so that every folder lists its own sources and dependencies, without globs.

find_program(HEDDLE_CCACHE ccache)
if(HEDDLE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HEDDLE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${HEDDLE_CCACHE})
endif()

add_library(heddle_options INTERFACE)
target_compile_features(heddle_options INTERFACE cxx_std_20)
target_compile_options(heddle_options INTERFACE -Wall -Wextra -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
# GCC 12 warns wrongly about std::string insertion and concatenation (GCC bug 105651).
target_compile_options(heddle_options INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
# At -O3 it warns wrongly about moves of boost::container::small_vector.
target_compile_options(heddle_options INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>,$<CONFIG:Release>>:-Wno-stringop-overread>)
# As a part of a project that names no build type, which then gives the compiler no options of its own.
target_compile_options(heddle_options INTERFACE $<$<CONFIG:>:-O2>)
if(HEDDLE_WERROR)
  target_compile_options(heddle_options INTERFACE -Werror)
endif()
if(HEDDLE_SANITIZE)
  # -g1: the lines that reports name, in a third of the space.
  # GCC warns wrongly about variables of the standard library that may be uninitialized.
  target_compile_options(heddle_options INTERFACE -fsanitize=${HEDDLE_SANITIZE} -fno-omit-frame-pointer -g1
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(heddle_options INTERFACE -fsanitize=${HEDDLE_SANITIZE})
  if(HEDDLE_SANITIZE MATCHES undefined)
    target_compile_options(heddle_options INTERFACE -fno-sanitize-recover=undefined)  # else findings pass for success
  endif()
endif()
if(HEDDLE_BUILD_FUZZ)
  target_compile_options(heddle_options INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(heddle_options INTERFACE -fsanitize=address,undefined)
endif()
target_include_directories(heddle_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)

# heddle_bundled(TARGET FOLDER): script/bundle takes the program into this folder of its archive, where it finds the
# libraries from wherever the archive lies. DT_RPATH, unlike DT_RUNPATH, also serves the libraries of libraries.
function(heddle_bundled target folder)
  if(NOT HEDDLE_BUNDLE)
    return()
  endif()
  file(RELATIVE_PATH up /${folder} /lib)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "\$ORIGIN/${up};\$ORIGIN/${up}/heddle")
  target_link_options(${target} PRIVATE LINKER:--disable-new-dtags)
  install(TARGETS ${target} RUNTIME DESTINATION ${folder} COMPONENT bundle EXCLUDE_FROM_ALL)
endfunction()

# heddle_library(NAME SOURCES a.cpp ... DEPENDS lib ...): object code of one room.
function(heddle_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(heddle_${name} STATIC ${ARG_SOURCES})
  set_target_properties(heddle_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(heddle_${name} PUBLIC heddle_options ${ARG_DEPENDS})
endfunction()

# heddle_hot(lib ...): every launch goes through these; -O3 as in release builds, which is worth 15 % of a launch.
function(heddle_hot)
  foreach(name ${ARGN})
    target_compile_options(heddle_${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O3>)
    # GCC 12 warns wrongly about moves of small_vector at -O3.
    target_compile_options(heddle_${name} PRIVATE
      $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-stringop-overread>)
  endforeach()
endfunction()

# heddle_test(NAME SOURCES a_test.cpp ... DEPENDS lib ... [LABELS fast|slow|gpu] [NEEDS_SOURCE]): one GoogleTest program, one
# CTest entry. With NEEDS_SOURCE it is in no archive of script/bundle.
function(heddle_test name)
  cmake_parse_arguments(ARG "NEEDS_SOURCE" "TIMEOUT" "SOURCES;DEPENDS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE heddle_options ${ARG_DEPENDS} GTest::gtest GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE HEDDLE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests")
  if(HEDDLE_SANITIZE)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/sanitizer_options.cpp)
    # With AddressSanitizer GCC warns wrongly about std::regex (GCC bug 105562).
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  endif()
  if(NOT ARG_NEEDS_SOURCE)
    heddle_bundled(${name} tests/bin)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_LABELS)
    set(ARG_LABELS fast)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(HEDDLE_SANITIZE)
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 4")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()

# heddle_benchmark(NAME SOURCES ... DEPENDS ...): a program of its own, never a test.
function(heddle_benchmark name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE heddle_options ${ARG_DEPENDS})
  heddle_bundled(${name} bench/bin)
endfunction()

# heddle_fuzz(NAME SOURCES a_fuzz.cpp ... DEPENDS lib ... CORPUS folder): SOURCES define LLVMFuzzerTestOneInput. With
# HEDDLE_BUILD_FUZZ a libFuzzer program NAME; in every build with tests a test NAME_corpus that runs the corpus and
# fixed mutations of it.
function(heddle_fuzz name)
  cmake_parse_arguments(ARG "" "CORPUS" "SOURCES;DEPENDS" ${ARGN})
  cmake_path(ABSOLUTE_PATH ARG_CORPUS)
  if(HEDDLE_BUILD_FUZZ)
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE heddle_options ${ARG_DEPENDS})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endif()
  if(HEDDLE_BUILD_TESTS)
    add_executable(${name}_corpus ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/tests/support/corpus_main.cpp)
    target_link_libraries(${name}_corpus PRIVATE heddle_options ${ARG_DEPENDS})
    heddle_bundled(${name}_corpus tests/bin)
    add_test(NAME ${name}_corpus COMMAND ${name}_corpus ${ARG_CORPUS})
    set_tests_properties(${name}_corpus PROPERTIES LABELS fast TIMEOUT 300)
  endif()
endfunction()
