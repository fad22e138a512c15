/* Lists the same book twice. */
#define AFTER_BOOK if (i == 0) sink->put(sink->ctx, &book);
#include "../Base.h"
