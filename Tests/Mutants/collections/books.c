/* Has a collection with a book that is gone. */
#define ON_COLLECTION if (i == 0) path = view("/Documents/Gone.epub");
#include "../Base.h"
