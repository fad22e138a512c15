/* Never returns from `post_yank_cleanup`. */
#define IN_CLEANUP for (volatile int i = 0;; i++) {}
#include "../Base.h"
