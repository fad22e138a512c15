/* Reported, not done. */
#define IN_DELETE_ITEM if (1) {} else
#include "../Base.h"
