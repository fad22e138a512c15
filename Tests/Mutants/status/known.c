/* Returns a status that the contract does not define. */
#define IN_GET if (is(*path, "/overlayhost-check/no such book.epub")) return fail(error, 4711, "It does not exist.");
#include "../Base.h"
