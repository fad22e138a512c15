/* Nobody can end an instance. */
#define ENTRY_FIELDS .destroy = NULL
#include "../Base.h"
