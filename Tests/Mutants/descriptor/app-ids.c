/* A name where a bundle id belongs. */
#define DESCRIPTOR_FIELDS .app_ids = {settable + 1, 1}
#include "../Base.h"
