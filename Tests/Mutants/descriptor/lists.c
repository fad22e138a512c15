/* Three formats that are nowhere. */
#define DESCRIPTOR_FIELDS .formats = {NULL, 3}
#include "../Base.h"
