/* Whatever keeps a book from being changed is the book's fault. */
#define ON_SYNC_ROW if (row.status == OVL_DEVICE_GONE) row.status = OVL_FAILED;
#include "../Base.h"
