/* Lists a book without a path. */
#define ON_BOOK if (i == 1) book.path = (ovl_text){"", 0};
#include "../Base.h"
