/* Passes a record with a size that is too small. */
#define ON_BOOK book.struct_size = 16;
#include "../Base.h"
