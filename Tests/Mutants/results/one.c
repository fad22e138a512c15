/* Answers `can_handle` twice. */
#define ON_PRESENCE answer->put(answer->ctx, &presence);
#include "../Base.h"
