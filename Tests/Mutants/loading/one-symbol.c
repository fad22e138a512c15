/* Exports a helper function as well. */
#define BEFORE_ALL OVL_EXPORT int base_helper(void); OVL_EXPORT int base_helper(void) { return 1; }
#include "../Base.h"
