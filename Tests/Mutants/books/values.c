/* Gives a book a rating of ten stars. */
#define ON_BOOK book.flags |= OVL_BOOK_HAS_RATING; book.rating = 10;
#include "../Base.h"
