/* Reports a failed row without a message. */
#define ON_PREPARE_ROW if (row.outcome == OVL_OUTCOME_FAILED) row.message = (ovl_text){0};
#include "../Base.h"
