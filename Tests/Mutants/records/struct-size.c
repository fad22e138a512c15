/* The size was forgotten. */
#define ON_BOOK book.struct_size = 16;
#include "../Base.h"
