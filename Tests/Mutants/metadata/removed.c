/* Keeps deleted books in the booklist. */
#define ON_REMOVE_EDIT continue;
#include "../Base.h"
