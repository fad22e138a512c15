/* A text of which only the size is left. */
#define ON_BOOK book.publisher = (ovl_text){NULL, 7};
#include "../Base.h"
