/* Books that can be fetched by nothing. */
#define METHODS_FIELDS .get_file = NULL, .prepare_addable_books = NULL
#include "../Base.h"
