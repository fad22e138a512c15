/* Calls a function that is not defined anywhere. */
#define BEFORE_ALL extern int base_nobody_has_this(void); int (*base_needs)(void) __attribute__((visibility("hidden"), used)) = base_nobody_has_this;
#include "../Base.h"
