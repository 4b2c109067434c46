# Objects that go into several libraries of a process must have no variables that change: each library would have its own.
string(REPLACE "," ";" objects "${OBJECTS}")
foreach(object IN LISTS objects)
  execute_process(COMMAND ${NM} -C ${object} OUTPUT_VARIABLE symbols RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${NM} cannot read ${object}")
  endif()
  # D and B are data; what the compiler or a sanitizer makes for itself begins with underscores, and type information
  # is data only until it is relocated.
  string(REGEX REPLACE "[^\n]* [dD] (typeinfo|vtable)[^\n]*" "" symbols "${symbols}")
  string(REGEX MATCHALL "[^\n]* [dDbB] [^_.\n][^\n]*" found "${symbols}")
  if(found)
    message(FATAL_ERROR "${object} has variables, which belong into src/cuda_api/core: ${found}")
  endif()
endforeach()
