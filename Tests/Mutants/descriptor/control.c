/* Has a name with a terminal escape sequence. */
#define DESCRIPTOR_FIELDS .name = TEXT("\033[31mBase")
#include "../Base.h"
