/* Sets a reserved field. */
#define ON_BOOK book.reserved = 0x5A5A5A5A;
#include "../Base.h"
