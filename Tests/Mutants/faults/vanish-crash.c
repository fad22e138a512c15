/* Aborts when the device is unplugged. */
#define LIST_FAILED if (status == OVL_DEVICE_GONE) abort(); return status;
#include "../Base.h"
