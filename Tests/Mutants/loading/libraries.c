/* Needs a library that exists only at link time. needs: a library */
#define BEFORE_ALL extern int base_needed(void); int (*base_needs)(void) __attribute__((visibility("hidden"), used)) = base_needed;
#include "../Base.h"
