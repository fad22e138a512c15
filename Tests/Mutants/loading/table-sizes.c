/* Has the size of a pointer instead of that of the table. */
#define METHODS_FIELDS .struct_size = sizeof(void *)
#include "../Base.h"
