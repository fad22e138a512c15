/* Nothing to clean up is taken for a failure. */
#define IN_CLEANUP return fail(error, OVL_NOT_FOUND, "There is nothing to clean up.");
#include "../Base.h"
