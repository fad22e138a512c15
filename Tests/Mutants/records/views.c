/* Passes a text with a size but a null pointer. */
#define ON_BOOK book.publisher = (ovl_text){NULL, 7};
#include "../Base.h"
