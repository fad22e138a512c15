/* Returns another status than that of the reported error. */
#define AFTER_ERROR return status == OVL_NOT_SUPPORTED ? OVL_NOT_SUPPORTED : OVL_NOT_FOUND;
#define ON_ERROR record.status = OVL_BUSY;
#include "../Base.h"
