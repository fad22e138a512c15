/* The end of the program. */
#define IN_GET exit(3);
#include "../Base.h"
