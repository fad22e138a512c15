/* Deletes books that are not in the synced list. */
#define IN_SYNC if (list->count == 1) { struct listing *all = calloc(1, sizeof *all); list_all(instance, all, &(ovl_error_sink){sizeof(ovl_error_sink), 0, NULL, ignore_error}); \
    const ovl_book *wanted = list->items; \
    for (uint64_t k = 0; k < all->count; k++) { char text[512]; snprintf(text, sizeof text, FOLDER "%s", all->names[k]); \
        ovl_text path = view(text); \
        if (!same(path, wanted->path)) instance->transport->remove(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &path, 0, NULL); } \
    free(all); }
#define BEFORE_ALL static void ignore_error(void *ctx, const ovl_error *error) {} \
    struct listing; static ovl_status list(ovl_instance *, struct listing *, const ovl_error_sink *); \
    static ovl_status list_all(ovl_instance *i, struct listing *l, const ovl_error_sink *e) { return list(i, l, e); }
#include "../Base.h"
