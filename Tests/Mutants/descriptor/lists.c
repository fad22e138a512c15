/* Has a list of three formats at a null pointer. */
#define DESCRIPTOR_FIELDS .formats = {NULL, 3}
#include "../Base.h"
