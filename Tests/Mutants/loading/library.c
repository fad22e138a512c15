/* A file for the linker, not for the loader. flags: -c */
#include "../Base.h"
