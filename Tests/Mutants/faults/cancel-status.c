/* Returns OVL_FAILED when it is cancelled. */
#define IN_BOOKS { report(instance, 0, 1); if (is_cancelled(instance)) return fail(error, OVL_FAILED, "It did not work."); }
#include "../Base.h"
