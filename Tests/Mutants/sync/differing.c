/* Reports rows for books that do not differ. */
#define IN_SYNC for (uint64_t k = 0; k < list->count; k++) { \
    const ovl_book *known = (const void *)((const char *)list->items + k * list->stride); \
    ovl_text known_title = title_of(known->path); \
    if (!same(known->title, known_title)) continue; \
    ovl_item_result kept = {.struct_size = sizeof kept, .index = k, .outcome = OVL_OUTCOME_UPDATED, .path = known->path}; \
    results->put(results->ctx, &kept); }
#include "../Base.h"
