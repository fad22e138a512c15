/* Uses the transport service on another thread. */
#define BEFORE_ALL static ovl_status ignore_device(void *ctx, const ovl_device *device) { return OVL_OK; } \
    static void *ask(void *ctx) { const ovl_transport_service *transport = ctx; \
    ovl_device_sink sink = {sizeof sink, 0, NULL, ignore_device}; transport->device(transport->ctx, &sink, NULL); return NULL; }
#define IN_BOOKS if (instance->transport != NULL) { pthread_t thread; \
    if (pthread_create(&thread, NULL, ask, (void *)instance->transport) == 0) pthread_join(thread, NULL); }
#include "../Base.h"
