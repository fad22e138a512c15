/* Reported when it begins, and when it is done. */
#define AFTER_DELETE_ROW results->put(results->ctx, &row);
#include "../Base.h"
