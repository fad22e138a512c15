/* Reports a row of the plan after the work has begun. */
#define SOURCE_RESULT_DONE if (i == 0) { ovl_sync_row late = {.struct_size = sizeof late, .action = OVL_SYNC_KEEP, .item = view("late")}; if (plan->put(plan->ctx, &late) != OVL_OK) return OVL_STOPPED; }
#include "../Base.h"
