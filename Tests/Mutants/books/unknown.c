/* What is not there is empty. */
#define IN_GET if (is(*path, "/overlayhost-check/no such book.epub")) return OVL_OK;
#include "../Base.h"
