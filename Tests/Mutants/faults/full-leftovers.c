/* Writes a note before each book, and leaves it behind if the device has no space. */
#define IN_UPLOAD_ITEM fate = note(instance); if (fate.status == OVL_OK) {
#define ON_UPLOAD_ROW if (row.status != OVL_NO_SPACE) forget(instance);
#define UPLOAD_ITEM_DONE }
#define BEFORE_UPLOAD static const ovl_text place = TEXT("/Documents/.note"); \
    static struct fate note(ovl_instance *instance) { \
        struct fate fate = {OVL_OK, "", 0, 0}; ovl_bytes content = {(const uint8_t *)"note", 4}; \
        ovl_error_sink refused = {sizeof refused, 0, &fate, take_error}; \
        instance->transport->write(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &place, &content, 0, &refused); \
        return fate; } \
    static void forget(ovl_instance *instance) { \
        instance->transport->remove(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &place, 0, NULL); }
#include "../Base.h"
