/* A function that is declared and nowhere defined. */
#define BEFORE_ALL extern int base_nobody_has_this(void); int (*base_needs)(void) __attribute__((visibility("hidden"), used)) = base_nobody_has_this;
#include "../Base.h"
