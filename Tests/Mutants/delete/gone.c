/* Reports a book as deleted without deleting it. */
#define IN_DELETE_ITEM if (1) {} else
#include "../Base.h"
