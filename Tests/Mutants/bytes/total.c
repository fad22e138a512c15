/* Reports a total that is larger than the number of bytes sent. */
#define ON_CHUNK total += 1;
#include "../Base.h"
