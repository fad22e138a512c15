/* Neither yes nor no. */
#define IN_CAN_HANDLE return OVL_OK;
#include "../Base.h"
