/* Has a name instead of a bundle id. */
#define DESCRIPTOR_FIELDS .app_ids = {settable + 1, 1}
#include "../Base.h"
