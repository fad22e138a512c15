/* The overlay hears of a cancel and goes on for ever: a fault, not a wait of the test. */
#define IN_BOOKS { report(instance, 0, 1); if (is_cancelled(instance)) for (;;) { say(instance, "working"); usleep(1000); } }
#include "../Base.h"
