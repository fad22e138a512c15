/* Is an object file instead of a shared library. flags: -c */
#include "../Base.h"
