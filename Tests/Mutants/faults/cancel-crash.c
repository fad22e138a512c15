/* Aborts when it is cancelled. */
#define IN_BOOKS { report(instance, 0, 1); if (is_cancelled(instance)) abort(); }
#include "../Base.h"
