/* Reports a row for the first book only. */
#define IN_DELETE_ITEM if (i > 0) continue;
#include "../Base.h"
