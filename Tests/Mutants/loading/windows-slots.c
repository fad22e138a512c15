/* Implements a method for Windows. */
#define METHODS_FIELDS .can_handle_windows = can_handle
#include "../Base.h"
