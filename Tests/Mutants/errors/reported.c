/* A status and no word. */
#define IN_PERFORM return OVL_NOT_SUPPORTED;
#include "../Base.h"
