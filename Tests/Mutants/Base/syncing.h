/* The method that syncs a folder with the app: files of the folder go to the device, and removed ones stay on the device. */

/* A file of the folder, and whether it is known from the last sync. */
struct wanted {
    char names[64][200];
    char stamps[64][100];
    uint64_t sizes[64];
    int known[64];
    uint64_t count;
};

static ovl_status take_wanted(void *ctx, uint64_t index, ovl_status status, const ovl_source_file *file, const ovl_error *error) {
    struct wanted *wanted = ctx;
    if (status != OVL_OK || file->kind != OVL_FILE_REGULAR || file->name.size >= 200 || wanted->count == 64) return OVL_OK;
    snprintf(wanted->names[wanted->count], 200, "%.*s", (int)file->name.size, file->name.data);
    snprintf(wanted->stamps[wanted->count], 100, "%.*s", (int)file->stamp.size, file->stamp.data);
    wanted->sizes[wanted->count++] = file->size;
    return OVL_OK;
}

static ovl_status take_sent(void *ctx, uint64_t index, ovl_status status, const ovl_source_file *file, const ovl_error *error) {
    struct fate *fate = ctx;
    fate->status = status;
    snprintf(fate->message, sizeof fate->message, "%s", status == OVL_OK ? "" : "It could not be sent.");
    return OVL_OK;
}

static ovl_status take_known(void *ctx, const ovl_bytes *chunk, uint64_t offset, uint64_t total) {
    char *text = ctx;
    if (offset + chunk->size < 100) {
        memcpy(text + offset, chunk->data, chunk->size);
        text[offset + chunk->size] = 0;
    }
    return OVL_OK;
}

/* Where the stamp of a file is remembered: a key has no room for every name. */
static void key_of(uint64_t i, char *key) { snprintf(key, 32, "file-%d", (int)i); }

static ovl_status sync_source(ovl_instance *instance, const ovl_sync_options *options, const ovl_sync_row_sink *plan,
                              const ovl_result_sink *results, const ovl_error_sink *error) {
    if (instance->transport == NULL || instance->source == NULL)
        return fail(error, OVL_NOT_SUPPORTED, "The host cannot sync folders.");
    const ovl_source_service *source = instance->source;
    struct wanted wanted = {.count = 0};
    ovl_text top = {"", 0};
    ovl_source_sink files = {sizeof files, 0, &wanted, take_wanted};
    ovl_status status = source->list(source->ctx, &top, &files, error);
    if (status != OVL_OK) return status;
    IN_SOURCE
    for (uint64_t i = 0; i < wanted.count; i++) {
        char key[32], known[100] = "";
        key_of(i, key);
        ovl_text key_view = view(key);
        ovl_bytes_sink bytes = {sizeof bytes, 0, known, take_known};
        source->state_get(source->ctx, &key_view, &bytes, NULL);
        wanted.known[i] = strcmp(known, wanted.stamps[i]) == 0;
        ovl_sync_row row = {.struct_size = sizeof row, .action = wanted.known[i] ? OVL_SYNC_KEEP : OVL_SYNC_ADD,
                            .item = view(wanted.names[i])};
        if (!wanted.known[i]) {
            row.flags = OVL_SYNC_ROW_CHANGES_DEVICE;
            row.bytes = wanted.sizes[i];
        }
        ON_SOURCE_ROW
        if (plan->put(plan->ctx, &row) != OVL_OK) return OVL_STOPPED;
    }
    SOURCE_PLANNED
    if (options->flags & OVL_SYNC_DRY_RUN) return OVL_OK;
    for (uint64_t i = 0; i < wanted.count; i++) {
        if (wanted.known[i]) continue;
        char text[300], key[32];
        snprintf(text, sizeof text, FOLDER "%s", wanted.names[i]);
        ovl_source_item item = {.struct_size = sizeof item, .path = view(wanted.names[i]), .device_path = view(text),
                                .expected = view(wanted.stamps[i])};
        ovl_list items = {&item, 1, sizeof item};
        struct fate fate = {OVL_OK, "", 0, 0};
        ovl_source_sink sent = {sizeof sent, 0, &fate, take_sent};
        status = source->send(source->ctx, OVL_ROOT_DOCUMENTS, &items, &sent, error);
        if (status != OVL_OK) return status;
        key_of(i, key);
        ovl_text key_view = view(key);
        ovl_bytes stamp = {(const uint8_t *)wanted.stamps[i], strlen(wanted.stamps[i])};
        SOURCE_REMEMBER
        ovl_item_result row = {.struct_size = sizeof row, .index = i, .status = fate.status,
                               .outcome = fate.status == OVL_OK ? OVL_OUTCOME_ADDED : OVL_OUTCOME_FAILED,
                               .message = view(fate.message)};
        if (results->put(results->ctx, &row) != OVL_OK) return OVL_STOPPED;
        SOURCE_RESULT_DONE
    }
    return OVL_OK;
}
