/* What a sync is for, in another method. */
#define IN_BOOKS if (instance->source != NULL) { ovl_text key = view("file-0"); instance->source->state_remove(instance->source->ctx, &key, NULL); }
#include "../Base.h"
