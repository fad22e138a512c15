/* Has a further value with the name of a field. */
#define ON_BOOK book.extra = view("{\"title\": \"Emma\"}");
#include "../Base.h"
