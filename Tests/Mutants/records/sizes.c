/* Passes a list with an invalid stride. */
#define ON_SETTINGS record.missing.stride = 4;
#include "../Base.h"
