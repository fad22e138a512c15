/* Reports an invalid file number. */
#define ON_PREPARE_ROW if (row.outcome == OVL_OUTCOME_FETCHED) row.file = 77;
#include "../Base.h"
