/* Opens a descriptor and never closes it. */
#define IN_CLEANUP if (dup(0) < 0) return OVL_OK;
#include "../Base.h"
