/* Ignores the status that a sink returns. */
#define SINK_STOPPED
#include "../Base.h"
