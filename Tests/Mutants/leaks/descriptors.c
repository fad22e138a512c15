/* A file that nobody closes. */
#define IN_CLEANUP if (dup(0) < 0) return OVL_OK;
#include "../Base.h"
