/* A stride that is none. */
#define ON_SETTINGS record.missing.stride = 4;
#include "../Base.h"
