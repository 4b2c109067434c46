// What functions of the caller have said of their failure (heddle_function_error).
#pragma once

#include <cstdint>
#include <string>

namespace heddle::c_api {

// Throws invalid_argument where a function of the caller's returned another number than 0: its sentence, if it has left
// one in this thread since forget_sentence(), else that `name` returned the number.
void check_function(std::int32_t result, const std::string& name);
void forget_sentence();

}  // namespace heddle::c_api
