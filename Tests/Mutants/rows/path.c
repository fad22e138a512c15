/* Reports an added book without its path. */
#define ON_UPLOAD_ROW if (row.outcome == OVL_OUTCOME_ADDED) row.path = (ovl_text){0};
#include "../Base.h"
