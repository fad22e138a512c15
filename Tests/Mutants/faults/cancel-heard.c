/* Notices a cancellation and never returns. */
#define IN_BOOKS { report(instance, 0, 1); if (is_cancelled(instance)) for (;;) { say(instance, "working"); } }
#include "../Base.h"
