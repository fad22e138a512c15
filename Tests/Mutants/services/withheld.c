/* A host that has everything. */
#define IN_CREATE if (made->log->struct_size == 0) return OVL_FAILED;
#include "../Base.h"
