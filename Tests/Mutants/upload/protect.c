/* Reports a book that must be kept as replaced. */
#define ON_UPLOAD_ROW if (row.outcome == OVL_OUTCOME_SKIPPED) row.outcome = OVL_OUTCOME_REPLACED;
#include "../Base.h"
