/* Nobody is asked whether to go on. */
#define IN_BOOKS { report(instance, 0, 1); if (is_cancelled(instance)) for (;;) { say(instance, "working"); usleep(1000); } }
#include "../Base.h"
