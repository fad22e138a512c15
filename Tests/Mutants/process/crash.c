/* Writes to invalid memory. */
#define IN_GET *(volatile int *)8 = 1;
#include "../Base.h"
