/* Chooses another device at each call. */
#define IN_USB if (devices->count > 1) *index = (int64_t)(instance->calls++ % devices->count);
#include "../Base.h"
