/* Returns OVL_OK for a book that does not exist. */
#define IN_GET if (is(*path, "/overlayhost-check/no such book.epub")) return OVL_OK;
#include "../Base.h"
