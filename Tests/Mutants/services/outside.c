/* Work that is left for the end. */
#define IN_DESTROY report(instance, 1, 1);
#include "../Base.h"
