/* Reports each row twice. */
#define AFTER_DELETE_ROW results->put(results->ctx, &row);
#include "../Base.h"
