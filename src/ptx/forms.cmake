# Instruction forms and verifier.
target_sources(heddle_ptx PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/decode.cpp
  ${CMAKE_CURRENT_LIST_DIR}/decode_suffixes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/form_match.cpp
  ${CMAKE_CURRENT_LIST_DIR}/form_rules.cpp
  ${CMAKE_CURRENT_LIST_DIR}/form_table.cpp
  ${CMAKE_CURRENT_LIST_DIR}/form_table_arithmetic.cpp
  ${CMAKE_CURRENT_LIST_DIR}/form_table_async.cpp
  ${CMAKE_CURRENT_LIST_DIR}/form_table_control.cpp
  ${CMAKE_CURRENT_LIST_DIR}/form_table_convert.cpp
  ${CMAKE_CURRENT_LIST_DIR}/form_table_logic.cpp
  ${CMAKE_CURRENT_LIST_DIR}/form_table_matrix.cpp
  ${CMAKE_CURRENT_LIST_DIR}/form_table_memory.cpp
  ${CMAKE_CURRENT_LIST_DIR}/form_table_texture.cpp
  ${CMAKE_CURRENT_LIST_DIR}/form_table_video.cpp
  ${CMAKE_CURRENT_LIST_DIR}/forms.cpp
  ${CMAKE_CURRENT_LIST_DIR}/matrix.cpp
  ${CMAKE_CURRENT_LIST_DIR}/resolve.cpp
  ${CMAKE_CURRENT_LIST_DIR}/support_page.cpp
  ${CMAKE_CURRENT_LIST_DIR}/type_rules.cpp
  ${CMAKE_CURRENT_LIST_DIR}/vector_size.cpp
  ${CMAKE_CURRENT_LIST_DIR}/verifier.cpp
  ${CMAKE_CURRENT_LIST_DIR}/verifier_control.cpp
  ${CMAKE_CURRENT_LIST_DIR}/verifier_module.cpp
  ${CMAKE_CURRENT_LIST_DIR}/verifier_operand.cpp)
