/* Crashes if the host does not have a service. */
#define IN_CREATE if (made->log->struct_size == 0) return OVL_FAILED;
#include "../Base.h"
