/* The deleted books stay. */
#define ON_REMOVE_EDIT continue;
#include "../Base.h"
