/* Stores state in a dry run. */
#define SOURCE_PLANNED if (options->flags & OVL_SYNC_DRY_RUN) { ovl_text seen = view("seen"); ovl_bytes one = {(const uint8_t *)"1", 1}; source->state_put(source->ctx, &seen, &one, NULL); }
#include "../Base.h"
