# Who builds the program alone, as `script/build release heddle` does, has the libraries that it opens, links programs with
# and gives to programs.
execute_process(COMMAND ${NINJA} -C ${BUILD} -t inputs heddle OUTPUT_VARIABLE inputs RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${NINJA} does not tell what the program needs")
endif()
foreach(library libheddle_cpu.so cuda/libcudart.so.11.0 cuda/libcudart.so.12 cuda/libcudart.so.13 cuda/libcuda.so.1
        cuda/libheddle_cuda.so)
  string(FIND "${inputs}" "lib/heddle/${library}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "building the program does not build lib/heddle/${library}")
  endif()
endforeach()
