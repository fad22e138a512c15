/* The new books are forgotten. */
#define ON_ADD_EDIT continue;
#include "../Base.h"
