/* Fails if there is nothing to clean up. */
#define IN_CLEANUP return fail(error, OVL_NOT_FOUND, "There is nothing to clean up.");
#include "../Base.h"
