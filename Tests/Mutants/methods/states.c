/* Refuses to update the booklist without a device. */
#define BEFORE_ALL static int gone;
#define IN_EJECT gone = 1;
#define IN_CAN_HANDLE gone = 0;
#define IN_ADD if (gone) return fail(error, OVL_WRONG_STATE, "There is no device.");
#include "../Base.h"
