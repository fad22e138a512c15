/* More than comes. */
#define ON_CHUNK total += 1;
#include "../Base.h"
