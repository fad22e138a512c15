/* An answer that does not exist. */
#define IN_CAN_HANDLE presence.reason = 99;
#include "../Base.h"
