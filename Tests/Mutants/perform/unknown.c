/* Returns OVL_OK for an unknown command. */
#define IN_PERFORM return OVL_OK;
#include "../Base.h"
