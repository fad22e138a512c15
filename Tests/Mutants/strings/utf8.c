/* Passes a text in Latin 1. */
#define ON_BOOK book.publisher = view("Verlag f\xfcr B\xfc" "cher");
#include "../Base.h"
