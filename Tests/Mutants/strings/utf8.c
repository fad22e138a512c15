/* Latin 1, as an old database keeps it. */
#define ON_BOOK book.publisher = view("Verlag f\xfcr B\xfc" "cher");
#include "../Base.h"
