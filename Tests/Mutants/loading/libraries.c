/* A library that is there when the overlay is linked and nowhere else. needs: a library */
#define BEFORE_ALL extern int base_needed(void); int (*base_needs)(void) __attribute__((visibility("hidden"), used)) = base_needed;
#include "../Base.h"
