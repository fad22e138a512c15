/* A warning as an error. */
#define IN_INITIALIZE fail(error, OVL_FAILED, "Something was odd.");
#include "../Base.h"
