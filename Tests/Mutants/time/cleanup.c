/* Cleaning up takes for ever. */
#define IN_CLEANUP for (volatile int i = 0;; i++) {}
#include "../Base.h"
