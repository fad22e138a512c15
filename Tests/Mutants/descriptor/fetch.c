/* Claims that books can be fetched, but has no method for it. */
#define METHODS_FIELDS .get_file = NULL, .prepare_addable_books = NULL
#include "../Base.h"
