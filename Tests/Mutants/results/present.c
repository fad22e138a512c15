/* Does not answer `can_handle`. */
#define IN_CAN_HANDLE return OVL_OK;
#include "../Base.h"
