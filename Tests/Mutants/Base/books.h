/* Methods that give books. */

static ovl_status books(ovl_instance *instance, const ovl_books_options *options, const ovl_book_sink *sink,
                        const ovl_error_sink *error) {
    IN_BOOKS
    if (options->volume != OVL_VOLUME_MAIN) return OVL_OK;
    struct listing *listing = calloc(1, sizeof *listing);
    ovl_status status = list(instance, listing, LIST_ERROR);
    if (status != OVL_OK) {
        free(listing);
        LIST_FAILED
    }
    for (uint64_t i = 0; i < listing->count; i++) {
        char path[512];
        snprintf(path, sizeof path, FOLDER "%s", listing->names[i]);
        ovl_book book = {.struct_size = sizeof book, .flags = OVL_BOOK_HAS_SIZE, .path = view(path), .size = listing->sizes[i]};
        book.title = title_of(book.path);
        report(instance, i, listing->count);
        ON_BOOK
        if (sink->put(sink->ctx, &book) != OVL_OK) {
            SINK_STOPPED
        }
        AFTER_BOOK
    }
    free(listing);
    BOOKS_DONE
    return OVL_OK;
}

/* A collection for each book. */
static ovl_status collections(ovl_instance *instance, const ovl_collection_sink *sink, const ovl_error_sink *error) {
    struct listing *listing = calloc(1, sizeof *listing);
    ovl_status status = list(instance, listing, error);
    for (uint64_t i = 0; status == OVL_OK && i < listing->count; i++) {
        char text[512];
        snprintf(text, sizeof text, FOLDER "%s", listing->names[i]);
        ovl_text path = view(text);
        ON_COLLECTION
        ovl_collection collection = {.struct_size = sizeof collection, .name = title_of(path), .kind = TEXT("static"),
                                     .books = {&path, 1}};
        if (sink->put(sink->ctx, &collection) != OVL_OK) status = OVL_STOPPED;
    }
    free(listing);
    return status;
}

/* Passes chunks on. */
struct passing {
    const ovl_bytes_sink *to;
    uint64_t total;
    /* The number of bytes so far. */
    uint64_t come;
};

static ovl_status pass(void *ctx, const ovl_bytes *bytes, uint64_t offset, uint64_t total) {
    struct passing *passing = ctx;
    ovl_bytes chunk = *bytes;
    total = passing->total;
    passing->come += chunk.size;
    ON_CHUNK
    return passing->to->put(passing->to->ctx, &chunk, offset, total);
}

static ovl_status get_file(ovl_instance *instance, const ovl_text *path, const ovl_bytes_sink *bytes,
                           const ovl_error_sink *error) {
    IN_GET
    if (instance->transport == NULL) return fail(error, OVL_NOT_SUPPORTED, "The host gives no access to devices.");
    struct fate fate = look(instance, *path);
    if (fate.status != OVL_OK) return fail(error, fate.status, fate.message);
    report(instance, 0, 1);
    struct passing passing = {bytes, fate.size, 0};
    ovl_bytes_sink chunks = {sizeof chunks, 0, &passing, pass};
    ovl_status status =
        instance->transport->read(instance->transport->ctx, OVL_ROOT_DOCUMENTS, path, 0, OVL_UNKNOWN, &chunks, GET_ERROR);
    GET_DONE
    return status;
}

static ovl_status prepare_addable_books(ovl_instance *instance, const ovl_texts *paths, const ovl_result_sink *results,
                                        const ovl_error_sink *error) {
    for (uint64_t i = 0; i < paths->count; i++) {
        ovl_item_result row = {.struct_size = sizeof row, .index = i, .outcome = OVL_OUTCOME_FETCHED, .path = paths->items[i]};
        struct fate fate = {OVL_OK, "", 0, 0}, refusal = {OVL_OK, "", 0, 0};
        ovl_texts one = {&paths->items[i], 1};
        ovl_result_sink rows = {sizeof rows, 0, &fate, take_row};
        ovl_error_sink refused = {sizeof refused, 0, &refusal, take_error};
        ovl_status status = instance->transport->pull(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &one, &rows, &refused);
        if (status != OVL_OK) fate = refusal;
        row.file = fate.file;
        if (fate.status != OVL_OK) {
            row.outcome = OVL_OUTCOME_FAILED;
            row.status = fate.status;
            row.message = view(fate.message);
        }
        ON_PREPARE_ROW
        if (results->put(results->ctx, &row) != OVL_OK) return OVL_STOPPED;
    }
    return OVL_OK;
}
