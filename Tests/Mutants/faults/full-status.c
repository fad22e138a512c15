/* Reports a lack of space as OVL_FAILED. */
#define ON_UPLOAD_ROW if (row.status == OVL_NO_SPACE) row.status = OVL_FAILED;
#include "../Base.h"
