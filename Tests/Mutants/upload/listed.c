/* Reports the added book under a path that is not listed. */
#define ON_UPLOAD_ROW if (row.outcome == OVL_OUTCOME_ADDED) row.path = view("/Documents/elsewhere.epub");
#define IN_DELETE_ITEM if (is(paths->items[i], "/Documents/elsewhere.epub")) {} else
#include "../Base.h"
