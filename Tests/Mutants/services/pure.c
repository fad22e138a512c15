/* Uses the transport service in a pure method. */
#define IN_ADD { struct listing *listing = calloc(1, sizeof *listing); list(instance, listing, &(ovl_error_sink){sizeof(ovl_error_sink), 0, NULL, ignore}); free(listing); }
#define BEFORE_ALL static void ignore(void *ctx, const ovl_error *error) {}
#include "../Base.h"
