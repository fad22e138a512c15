/* Reports a deleted book as added. */
#define ON_DELETE_ROW row.outcome = OVL_OUTCOME_ADDED;
#include "../Base.h"
