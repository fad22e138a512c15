/* A name that colours the terminal. */
#define DESCRIPTOR_FIELDS .name = TEXT("\033[31mBase")
#include "../Base.h"
