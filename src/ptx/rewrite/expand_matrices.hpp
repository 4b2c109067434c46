// Moves of matrices by a warp as instructions of single threads, for devices that emulate a GPU.
#pragma once

#include "ptx/ir.hpp"

namespace heddle::ptx {

// Whether a function of the module has an instruction that expand_matrices() replaces.
bool moves_matrices(const Module& module);

// Replaces ldmatrix and stmatrix of 8x8 matrices of 16 bits, movmatrix, and the loads and stores of wmma by shuffles
// and plain accesses, so that their addresses are checked and counted as those of all accesses. The elements of wmma's
// fragments lie as ptx/matrix.hpp says. Other forms stay. A guard is taken to be the same in all lanes, as .aligned
// demands. The accesses are marked as parts of such moves (MatrixAccess). `finds_bad_rows`: for code whose accesses are
// verified, which ends where one is wrong: finds rows of ldmatrix and stmatrix that do not begin at a multiple of 16
// bytes. Linear.
void expand_matrices(Module& module, bool finds_bad_rows = false);

}  // namespace heddle::ptx
