/* Returns an empty list when the device is unplugged. */
#define BEFORE_ALL static void ignore(void *ctx, const ovl_error *error) {}
#define LIST_ERROR (&(ovl_error_sink){sizeof(ovl_error_sink), 0, NULL, ignore})
#define LIST_FAILED if (status == OVL_DEVICE_GONE) return OVL_OK; return fail(error, status, "The folder cannot be listed.");
#include "../Base.h"
