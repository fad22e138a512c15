/* Returns OVL_OK for a book of which only the beginning arrived. */
#define ON_CHUNK total = OVL_UNKNOWN;
#define GET_ERROR (&(ovl_error_sink){sizeof(ovl_error_sink), 0, &fate, take_error})
#define GET_DONE if (status == OVL_DEVICE_GONE && passing.come > 0) return OVL_OK; \
    if (status != OVL_OK && status != OVL_STOPPED) return fail(error, status, fate.message);
#include "../Base.h"
