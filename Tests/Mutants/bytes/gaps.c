/* Leaves gaps between the offsets of chunks. */
#define ON_CHUNK offset += 16;
#include "../Base.h"
