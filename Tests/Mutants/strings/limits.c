/* Passes a text of two megabytes. */
#define ON_BOOK static char huge[2 << 20]; memset(huge, 'x', sizeof huge); book.publisher = (ovl_text){huge, sizeof huge};
#include "../Base.h"
