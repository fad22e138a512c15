/* A device with room is taken for granted. */
#define ON_UPLOAD_ROW if (row.status == OVL_NO_SPACE) abort();
#include "../Base.h"
