/* Uses the transport service after an eject. */
#define BEFORE_ALL static ovl_status ignore_device(void *ctx, const ovl_device *device) { return OVL_OK; }
#define IN_USB if (instance->ejected) { ovl_device_sink sink = {sizeof sink, 0, NULL, ignore_device}; \
    instance->transport->device(instance->transport->ctx, &sink, NULL); }
#include "../Base.h"
