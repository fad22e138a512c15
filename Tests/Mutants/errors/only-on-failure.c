/* Reports an error although the method succeeds. */
#define IN_INITIALIZE fail(error, OVL_FAILED, "Something was odd.");
#include "../Base.h"
