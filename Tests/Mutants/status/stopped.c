/* Nobody had asked for it. */
#define IN_GET if (is(*path, "/overlayhost-check/no such book.epub")) return OVL_STOPPED;
#include "../Base.h"
