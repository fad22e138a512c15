/* The overlay hears of a cancel and never ends. */
#define IN_BOOKS { report(instance, 0, 1); if (is_cancelled(instance)) for (;;) { say(instance, "working"); } }
#include "../Base.h"
