#include <stddef.h>
#include <stdint.h>

/* The entry of libFuzzer for programs with a `main` of their own (LLVM manual, "Using libFuzzer as a library"). */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *bytes, size_t count));
