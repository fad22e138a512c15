/* Has no function `destroy`. */
#define ENTRY_FIELDS .destroy = NULL
#include "../Base.h"
