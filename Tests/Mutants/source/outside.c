/* Uses the source service outside of `sync_source`. */
#define IN_BOOKS if (instance->source != NULL) { ovl_text key = view("seen"); ovl_bytes one = {(const uint8_t *)"1", 1}; instance->source->state_put(instance->source->ctx, &key, &one, NULL); }
#include "../Base.h"
