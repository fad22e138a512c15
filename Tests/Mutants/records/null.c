/* Passes a null pointer instead of a record. */
#define IN_BOOKS if (options->volume == OVL_VOLUME_MAIN && sink->put(sink->ctx, NULL) != OVL_OK) return OVL_STOPPED;
#include "../Base.h"
