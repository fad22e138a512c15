/* Offsets in the file's own count. */
#define ON_CHUNK offset += 16;
#include "../Base.h"
