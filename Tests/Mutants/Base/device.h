/* The device: the files of a folder, and the result for one file. */

/* Files of a folder. */
struct listing {
    char names[256][256];
    uint64_t sizes[256];
    uint64_t count;
};

static ovl_status take_file(void *ctx, uint64_t index, ovl_status status, const ovl_file_info *info, const ovl_error *error) {
    struct listing *listing = ctx;
    if (status != OVL_OK || info->kind != OVL_FILE_REGULAR || info->name.size > 200 || listing->count == 256) return OVL_OK;
    if (info->name.size > 0 && info->name.data[0] == '.') return OVL_OK;
    snprintf(listing->names[listing->count], 256, "%.*s", (int)info->name.size, info->name.data);
    listing->sizes[listing->count++] = info->size;
    return OVL_OK;
}

static ovl_status list(ovl_instance *instance, struct listing *listing, const ovl_error_sink *error) {
    if (instance->transport == NULL) return fail(error, OVL_NOT_SUPPORTED, "The host gives no access to devices.");
    ovl_text folder = TEXT("/Documents");
    ovl_file_sink files = {FILE_SINK_SIZE, 0, listing, take_file};
    return instance->transport->list(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &folder, OVL_LIST_WITH_INFO, &files, error);
}

/* The result for one file. */
struct fate {
    ovl_status status;
    char message[256];
    ovl_file_id file;
    uint64_t size;
};

static ovl_status take_row(void *ctx, const ovl_item_result *row) {
    struct fate *fate = ctx;
    fate->status = row->status;
    fate->file = row->file;
    snprintf(fate->message, sizeof fate->message, "%.*s", (int)row->message.size, row->message.data ? row->message.data : "");
    return OVL_OK;
}

static ovl_status take_stat(void *ctx, uint64_t index, ovl_status status, const ovl_file_info *info, const ovl_error *error) {
    struct fate *fate = ctx;
    fate->status = status;
    if (status == OVL_OK) fate->size = info->size;
    else if (error != NULL) snprintf(fate->message, sizeof fate->message, "%.*s", (int)error->message.size, error->message.data);
    return OVL_OK;
}

static struct fate look(ovl_instance *instance, ovl_text path) {
    struct fate fate = {OVL_FAILED, "The device did not answer.", 0, 0};
    ovl_texts paths = {&path, 1};
    ovl_file_sink files = {sizeof files, 0, &fate, take_stat};
    ovl_status status = instance->transport->stat(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &paths, &files, NULL);
    if (status != OVL_OK) fate.status = status;
    return fate;
}

/* Keeps the error of a service, for the message of a row. */
static void take_error(void *ctx, const ovl_error *error) {
    struct fate *fate = ctx;
    fate->status = error->status;
    snprintf(fate->message, sizeof fate->message, "%.*s", (int)error->message.size, error->message.data);
}

static int is_cancelled(ovl_instance *instance) {
    return instance->cancel != NULL && instance->cancel->is_cancelled(instance->cancel->ctx) != 0;
}

static void report(ovl_instance *instance, uint64_t done, uint64_t total) {
    if (instance->progress == NULL) return;
    ovl_text phase = TEXT("working");
    instance->progress->report(instance->progress->ctx, done, total, &phase);
}

/* The part of a path that is the title, and its extension. */
static ovl_text title_of(ovl_text path) {
    uint64_t start = sizeof FOLDER - 1, end = path.size;
    if (path.size < start || memcmp(path.data, FOLDER, start) != 0) return path;
    for (uint64_t i = start; i < path.size; i++) if (path.data[i] == '.') end = i;
    return (ovl_text){path.data + start, end - start};
}
