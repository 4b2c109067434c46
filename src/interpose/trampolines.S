// Functions that are forwarded: a jump to the function of NVIDIA's library, with every argument as it is.
#define HEDDLE_TRAMPOLINE(name, index)                    \
  .globl name; .type name, @function; .p2align 4;         \
  name: endbr64; jmp *(heddle_interpose_slots + 8 * index)(%rip); \
  .size name, . - name;

  .text
  .hidden heddle_interpose_slots
#include "interpose/trampolines.inc"
  .section .note.GNU-stack, "", @progbits
