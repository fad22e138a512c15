/* Aborts when the device has no space. */
#define ON_UPLOAD_ROW if (row.status == OVL_NO_SPACE) abort();
#include "../Base.h"
