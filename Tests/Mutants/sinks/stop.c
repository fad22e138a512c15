/* What the sink answers is not looked at. */
#define SINK_STOPPED
#include "../Base.h"
