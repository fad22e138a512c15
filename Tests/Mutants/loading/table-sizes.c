/* The size of a pointer instead of that of a table. */
#define METHODS_FIELDS .struct_size = sizeof(void *)
#include "../Base.h"
