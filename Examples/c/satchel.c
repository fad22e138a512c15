/* A minimal overlay: it lists, fetches, adds and deletes the books of Satchel, an invented reader app that keeps its books
 * as plain files in its shared folder.
 *
 * Start reading at the end, with the one exported function. The headers describe each record, function and status; the
 * manual is docs/abi.md of OverlayHost. */
#include "overlay_abi.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A string constant as a view: UTF-8 and its length, without the NUL. */
#define TEXT(literal) {literal, sizeof literal - 1}
/* The size of a table up to its function `last`. An overlay that asks for no more works in older hosts. */
#define SIZE_UP_TO(table, last) ((uint32_t)(offsetof(table, last) + sizeof(((table *)0)->last)))

#define SHELF "/Documents"
#define LONGEST_PATH 1024
#define LONGEST_TITLE 200

/* The state between calls. It is not global, because a host may make several instances. */
struct ovl_instance {
    const ovl_transport_service *transport;
};

/* The formats of the app. */
struct format {
    ovl_text ending, media_type;
};

static const struct format *format_of(const ovl_text *name) {
    static const struct format formats[] = {{TEXT(".epub"), TEXT("application/epub+zip")},
                                            {TEXT(".pdf"), TEXT("application/pdf")}};
    for (const struct format *format = formats; format < formats + sizeof formats / sizeof formats[0]; format++) {
        uint64_t size = format->ending.size;
        if (name->size > size && memcmp(name->data + name->size - size, format->ending.data, size) == 0) return format;
    }
    return NULL;
}

/* ---- listing ------------------------------------------------------------------------------------------------ */

/* Reports one row of the folder's listing as a book. Skips a file that was removed during the listing. */
static ovl_status put_book(void *ctx, uint64_t index, ovl_status status, const ovl_file_info *info,
                           const ovl_error *error) {
    (void)index, (void)error;
    const ovl_book_sink *books = *(const ovl_book_sink **)ctx;
    if (status != OVL_OK || info->kind != OVL_FILE_REGULAR) return OVL_OK;
    const struct format *format = format_of(&info->name);
    char path[LONGEST_PATH];
    if (!format || info->name.size > sizeof path - sizeof SHELF) return OVL_OK;
    memcpy(path, SHELF "/", sizeof SHELF);
    memcpy(path + sizeof SHELF, info->name.data, info->name.size);
    ovl_book book = {.struct_size = sizeof book, .flags = OVL_BOOK_HAS_SIZE, .size = info->size,
                     .path = {path, sizeof SHELF + info->name.size}, .format = format->media_type,
                     .title = {info->name.data, info->name.size - format->ending.size}};
    return books->put(books->ctx, &book);
}

static ovl_status books(ovl_instance *instance, const ovl_books_options *options, const ovl_book_sink *sink,
                        const ovl_error_sink *error) {
    static const ovl_text shelf = TEXT(SHELF);
    if (options->volume != OVL_VOLUME_MAIN) return OVL_OK;
    ovl_file_sink files = {.struct_size = sizeof files, .ctx = &sink, .put = put_book};
    /* An error of the service goes into the same sink, so it is also the error of this method. */
    return instance->transport->list(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &shelf, OVL_LIST_WITH_INFO, &files,
                                     error);
}

/* ---- fetching ----------------------------------------------------------------------------------------------- */

/* The path is one that `books` reported. The bytes go from the device directly into the host's sink. */
static ovl_status get_file(ovl_instance *instance, const ovl_text *path, const ovl_bytes_sink *bytes,
                           const ovl_error_sink *error) {
    return instance->transport->read(instance->transport->ctx, OVL_ROOT_DOCUMENTS, path, 0, OVL_UNKNOWN, bytes, error);
}

/* ---- adding and deleting ------------------------------------------------------------------------------------ */

/* The current item, its result row, and whether that row was reported. */
struct item {
    const ovl_result_sink *results;
    ovl_item_result row;
    ovl_status answer;
    int told, exists;
};

static ovl_status tell(struct item *item, uint32_t outcome) {
    item->told = 1;
    item->row.outcome = outcome;
    return item->answer = item->results->put(item->results->ctx, &item->row);
}

/* Reports an error of a service as the row of the current item. */
static void put_failure(void *ctx, const ovl_error *error) {
    struct item *item = ctx;
    if (item->told) return;
    item->row.flags = error->flags & OVL_ERROR_RETRYABLE;
    item->row.status = error->status;
    item->row.domain = error->domain;
    item->row.native_code = error->native_code;
    item->row.path = (ovl_text){NULL, 0};
    item->row.message = error->message;
    item->row.hint = error->hint;
    tell(item, OVL_OUTCOME_FAILED);
}

static ovl_status put_presence(void *ctx, uint64_t index, ovl_status status, const ovl_file_info *info,
                               const ovl_error *error) {
    (void)index, (void)info;
    struct item *item = ctx;
    item->exists = status == OVL_OK;
    if (status != OVL_OK && status != OVL_NOT_FOUND) put_failure(item, error);
    return OVL_OK;
}

static ovl_status put_pushed(void *ctx, const ovl_item_result *pushed) {
    struct item *item = ctx;
    ovl_item_result row = *pushed;
    row.index = item->row.index;
    row.path = item->row.path;
    item->row = row;
    if (row.status == OVL_OK) return tell(item, item->exists ? OVL_OUTCOME_REPLACED : OVL_OUTCOME_ADDED);
    item->row.path = (ovl_text){NULL, 0};
    return tell(item, OVL_OUTCOME_FAILED);
}

/* The path of a new book: its title, without characters that are special in paths, and the extension of the host's file. */
static ovl_text path_of(const ovl_upload_item *upload, const struct format *format, char *path) {
    const ovl_text *title = upload->book.title.size > 0 ? &upload->book.title : &upload->book.uuid;
    uint64_t size = title->size, length = sizeof SHELF;
    if (size > LONGEST_TITLE)
        for (size = LONGEST_TITLE; size > 0 && ((unsigned char)title->data[size] & 0xC0) == 0x80;) size--;
    memcpy(path, SHELF "/", length);
    for (uint64_t i = 0; i < size; i++) {
        char c = title->data[i];
        path[length++] = (unsigned char)c < ' ' || strchr("/:\\", c) || (i == 0 && c == '.') ? '-' : c;
    }
    memcpy(path + length, format->ending.data, format->ending.size);
    return (ovl_text){path, length + format->ending.size};
}

static ovl_status add(const ovl_transport_service *transport, const ovl_upload_item *upload, uint32_t on_conflict,
                      struct item *item) {
    char path[LONGEST_PATH];
    const struct format *format = format_of(&upload->name);
    if (!format) {
        item->row.status = OVL_UNSUPPORTED_FORMAT;
        item->row.message = (ovl_text)TEXT("Satchel reads EPUB and PDF only.");
        return tell(item, OVL_OUTCOME_FAILED);
    }
    item->row.path = path_of(upload, format, path);
    ovl_texts paths = {&item->row.path, 1};
    ovl_file_sink presence = {.struct_size = sizeof presence, .ctx = item, .put = put_presence};
    ovl_error_sink failure = {.struct_size = sizeof failure, .ctx = item, .put = put_failure};
    ovl_status status = transport->stat(transport->ctx, OVL_ROOT_DOCUMENTS, &paths, &presence, &failure);
    if (status != OVL_OK || item->told) return status;
    if (item->exists && on_conflict != OVL_CONFLICT_REPLACE) {
        item->row.message = (ovl_text)TEXT("A book with this title already exists.");
        return tell(item, OVL_OUTCOME_SKIPPED);
    }
    /* The host copies to a temporary name, verifies, and renames, so an older file stays until the new one is complete. */
    ovl_push_item push = {.struct_size = sizeof push, .file = upload->file, .path = item->row.path};
    ovl_list items = {&push, 1, sizeof push};
    ovl_result_sink pushed = {.struct_size = sizeof pushed, .ctx = item, .put = put_pushed};
    return transport->push(transport->ctx, OVL_ROOT_DOCUMENTS, &items, 0, &pushed, &failure);
}

/* Whether a status ends the whole method, not just one item. */
static int is_final(ovl_status status) {
    return status == OVL_CANCELLED || status == OVL_TIMED_OUT || status == OVL_DEVICE_GONE;
}

static ovl_status fail(const ovl_error_sink *sink, ovl_status status, ovl_text message) {
    ovl_error error = {.struct_size = sizeof error, .status = status, .message = message};
    if (sink->put) sink->put(sink->ctx, &error);
    return status;
}

static ovl_status upload_books(ovl_instance *instance, const ovl_list *items, const ovl_upload_options *options,
                               const ovl_result_sink *results, const ovl_error_sink *error) {
    ovl_status end = OVL_OK;
    for (uint64_t i = 0; i < items->count; i++) {
        /* A newer host's record may be longer than ours, so use the stride of the list. */
        const ovl_upload_item *upload = (const void *)((const char *)items->items + i * items->stride);
        struct item item = {.results = results, .row = {.struct_size = sizeof item.row, .index = i}};
        ovl_status status = add(instance->transport, upload, options->on_conflict, &item);
        if (item.answer != OVL_OK) return OVL_STOPPED;
        if (is_final(status)) end = status;
    }
    return end == OVL_OK ? OVL_OK : fail(error, end, (ovl_text)TEXT("Not every book was added."));
}

static ovl_status delete_books(ovl_instance *instance, const ovl_texts *paths, const ovl_result_sink *results,
                               const ovl_error_sink *error) {
    const ovl_transport_service *transport = instance->transport;
    ovl_status end = OVL_OK;
    for (uint64_t i = 0; i < paths->count; i++) {
        struct item item = {.results = results, .row = {.struct_size = sizeof item.row, .index = i}};
        ovl_error_sink failure = {.struct_size = sizeof failure, .ctx = &item, .put = put_failure};
        ovl_status status = transport->remove(transport->ctx, OVL_ROOT_DOCUMENTS, &paths->items[i], 0, &failure);
        if (status == OVL_OK) tell(&item, OVL_OUTCOME_DELETED);
        if (item.answer != OVL_OK) return OVL_STOPPED;
        if (is_final(status)) end = status;
    }
    return end == OVL_OK ? OVL_OK : fail(error, end, (ovl_text)TEXT("Not every book was deleted."));
}

/* ---- life and description ----------------------------------------------------------------------------------- */

static ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
    static const ovl_text id = TEXT(OVL_SERVICE_TRANSPORT);
    const ovl_transport_service *transport =
        host->get_service(host->ctx, &id, SIZE_UP_TO(ovl_transport_service, remove));
    if (!transport) return fail(error, OVL_NOT_SUPPORTED, (ovl_text)TEXT("This host has no way to the device's files."));
    *instance = malloc(sizeof **instance);
    if (!*instance) return fail(error, OVL_FAILED, (ovl_text)TEXT("There is not enough memory."));
    (*instance)->transport = transport;
    return OVL_OK;
}

static void destroy(ovl_instance *instance) { free(instance); }

static const ovl_text app_ids[] = {TEXT("org.example.satchel")};
static const ovl_text extensions[] = {TEXT("epub"), TEXT("pdf")};

static const ovl_descriptor descriptor = {
    .struct_size = sizeof descriptor,
    .flags = OVL_TRAIT_CAN_FETCH,
    .id = TEXT("satchel"),
    .name = TEXT("Satchel"),
    .version = TEXT("0.1.0"),
    .summary = TEXT("Lists, fetches, adds and deletes the books of Satchel."),
    .app_name = TEXT("Satchel"),
    .app_ids = {app_ids, 1},
    .formats = {extensions, 2},
};

/* A function that is left out is a null pointer, and the host does not call it. */
static const ovl_methods methods = {
    .struct_size = sizeof methods,
    .books = books,
    .upload_books = upload_books,
    .delete_books = delete_books,
    .get_file = get_file,
};

static const ovl_entry entry = {
    .struct_size = sizeof entry,
    .abi_major = OVL_ABI_MAJOR,
    .abi_minor = OVL_ABI_MINOR,
    .descriptor = &descriptor,
    .methods = &methods,
    .create = create,
    .destroy = destroy,
};

const ovl_entry *ovl_entry_v1(void) { return &entry; }
