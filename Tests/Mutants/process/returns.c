/* Loops endlessly. */
#define IN_GET for (volatile int i = 0;; i++) {}
#include "../Base.h"
