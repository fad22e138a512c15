/* Has a constructor that never returns. */
#define BEFORE_ALL __attribute__((constructor)) static void load(void) { for (volatile int i = 0;; i++) {} }
#include "../Base.h"
