/* A device that answers is taken for granted. */
#define LIST_FAILED if (status == OVL_DEVICE_GONE) abort(); return status;
#include "../Base.h"
