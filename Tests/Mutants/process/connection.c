/* Closes a descriptor of the worker. */
#define IN_GET close(3); for (;;) pause();
#include "../Base.h"
