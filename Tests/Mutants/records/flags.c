/* A bit that no constant names. */
#define ON_BOOK book.flags |= 1u << 30;
#include "../Base.h"
