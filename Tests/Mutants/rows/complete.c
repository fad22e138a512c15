/* A book that was left out without a word. */
#define IN_DELETE_ITEM if (i > 0) continue;
#include "../Base.h"
