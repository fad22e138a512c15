/* Calls a sink on another thread. */
#define BEFORE_ALL struct parcel { const ovl_book_sink *sink; ovl_book book; }; \
    static void *deliver(void *ctx) { struct parcel *parcel = ctx; parcel->sink->put(parcel->sink->ctx, &parcel->book); return NULL; }
#define AFTER_BOOK if (i == 0) { struct parcel parcel = {sink, book}; pthread_t thread; \
    if (pthread_create(&thread, NULL, deliver, &parcel) == 0) pthread_join(thread, NULL); }
#include "../Base.h"
