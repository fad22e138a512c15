/* Calls `exit` in a method. */
#define IN_GET exit(3);
#include "../Base.h"
