/* Fails to delete any book. */
#define IN_DELETE return fail(error, OVL_FAILED, "It does not work.");
#include "../Base.h"
