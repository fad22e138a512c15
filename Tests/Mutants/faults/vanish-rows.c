/* Reports an unplugged device as OVL_FAILED in the rows of books. */
#define ON_SYNC_ROW if (row.status == OVL_DEVICE_GONE) row.status = OVL_FAILED;
#include "../Base.h"
