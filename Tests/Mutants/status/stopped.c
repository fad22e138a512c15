/* Returns OVL_STOPPED although no sink asked to stop. */
#define IN_GET if (is(*path, "/overlayhost-check/no such book.epub")) return OVL_STOPPED;
#include "../Base.h"
