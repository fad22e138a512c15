/* Allocates memory without end. */
#define IN_GET for (;;) { char *more = malloc(1 << 20); if (more == NULL) abort(); memset(more, 1, 1 << 20); }
#include "../Base.h"
