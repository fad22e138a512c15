/* Every failure is the same. */
#define ON_UPLOAD_ROW if (row.status == OVL_NO_SPACE) row.status = OVL_FAILED;
#include "../Base.h"
