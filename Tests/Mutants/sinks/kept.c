/* Uses the sink of an earlier call. */
#define BEFORE_ALL static ovl_book_sink kept; static ovl_book last = {.struct_size = sizeof last, .path = TEXT("/Documents/late.epub")};
#define IN_BOOKS if (kept.put != NULL) kept.put(kept.ctx, &last); kept = *sink;
#include "../Base.h"
