/* Reports the same error twice. */
#define AFTER_ERROR error->put(error->ctx, &record);
#include "../Base.h"
