/* Uses the transport service in `create`. */
#define BEFORE_ALL static ovl_status ignore_device(void *ctx, const ovl_device *device) { return OVL_OK; }
#define IN_CREATE { ovl_device_sink sink = {sizeof sink, 0, NULL, ignore_device}; \
    if (made->transport != NULL) made->transport->device(made->transport->ctx, &sink, NULL); }
#include "../Base.h"
