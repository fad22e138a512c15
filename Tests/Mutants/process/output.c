/* Writes to standard output. */
#define IN_EJECT puts("ejected"); fflush(stdout);
#include "../Base.h"
