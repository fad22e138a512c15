/* Leaves added books out of the booklist. */
#define ON_ADD_EDIT continue;
#include "../Base.h"
