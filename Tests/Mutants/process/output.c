/* A word for nobody. */
#define IN_EJECT puts("ejected"); fflush(stdout);
#include "../Base.h"
