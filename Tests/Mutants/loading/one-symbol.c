/* A helper that somebody forgot to hide. */
#define BEFORE_ALL OVL_EXPORT int base_helper(void); OVL_EXPORT int base_helper(void) { return 1; }
#include "../Base.h"
