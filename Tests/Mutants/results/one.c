/* Yes and yes. */
#define ON_PRESENCE answer->put(answer->ctx, &presence);
#include "../Base.h"
