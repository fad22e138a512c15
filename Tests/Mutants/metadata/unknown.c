/* Fails if a removed path is not in the booklist. */
#define REMOVE_DONE if (!found && snapshot->count > 0) return fail(error, OVL_NOT_FOUND, "The book is not in the list.");
#include "../Base.h"
