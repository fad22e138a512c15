/* Leaks two megabytes for each cleanup. */
#define IN_CLEANUP { char *lost = malloc(2 << 20); if (lost != NULL) memset(lost, 1, 2 << 20); }
#include "../Base.h"
