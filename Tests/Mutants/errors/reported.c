/* Returns an error status without reporting an error. */
#define IN_PERFORM return OVL_NOT_SUPPORTED;
#include "../Base.h"
