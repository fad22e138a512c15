/* Texts, errors, and the instance. */

#define TEXT(text) {text, sizeof(text) - 1}
#define FOLDER "/Documents/"

struct ovl_instance {
    const ovl_log_service *log;
    const ovl_progress_service *progress;
    const ovl_cancel_service *cancel;
    const ovl_transport_service *transport;
    const ovl_source_service *source;
    int ejected;
    uint64_t calls;
};

static ovl_text view(const char *text) { return (ovl_text){text, strlen(text)}; }

static int same(ovl_text a, ovl_text b) { return a.size == b.size && memcmp(a.data, b.data, a.size) == 0; }

static int is(ovl_text a, const char *b) { return same(a, view(b)); }

static ovl_status fail(const ovl_error_sink *error, ovl_status status, const char *message) {
    ovl_error record = {.struct_size = sizeof record, .status = status, .message = view(message)};
    ON_ERROR
    error->put(error->ctx, &record);
    AFTER_ERROR
    return record.status;
}

static void say(ovl_instance *instance, const char *words) {
    if (instance->log == NULL) return;
    ovl_text category = TEXT("base"), message = view(words);
    instance->log->write(instance->log->ctx, OVL_LOG_INFO, &category, &message, NULL);
}
