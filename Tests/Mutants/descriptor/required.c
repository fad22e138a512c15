/* Has no name. */
#define DESCRIPTOR_FIELDS .name = {NULL, 0}
#include "../Base.h"
