/* Removes a book at an index beyond the end of the list. */
#define ON_REMOVE_EDIT edit.index = snapshot->count;
#include "../Base.h"
