/* Aborts in a constructor. */
#define BEFORE_ALL __attribute__((constructor)) static void load(void) { abort(); }
#include "../Base.h"
