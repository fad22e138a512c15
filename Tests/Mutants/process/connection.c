/* Descriptors that are somebody else's. */
#define IN_GET close(3); for (;;) pause();
#include "../Base.h"
