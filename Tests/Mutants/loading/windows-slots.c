/* Slots that are for another system. */
#define METHODS_FIELDS .can_handle_windows = can_handle
#include "../Base.h"
