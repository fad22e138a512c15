/* Sets a flag that the contract does not define. */
#define ON_BOOK book.flags |= 1u << 30;
#include "../Base.h"
