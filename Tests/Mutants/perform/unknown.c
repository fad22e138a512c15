/* Every command is done. */
#define IN_PERFORM return OVL_OK;
#include "../Base.h"
