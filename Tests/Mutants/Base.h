/* An overlay that keeps every rule of the contract: the books of an app that shares its Documents folder.
 *
 * Each file beside this one defines one or two of the hooks below, so that one rule is broken and no other, and includes this file.
 * What a hook names (`book`, `row`, `error` …) are the variables of the place where it stands.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "overlay_abi.h"

/* ---- hooks: nothing, unless a mutant says otherwise ----------------------------------------------------------- */

#ifndef BEFORE_ALL
#define BEFORE_ALL
#endif
#ifndef ENTRY_NAME
#define ENTRY_NAME ovl_entry_v1
#endif
#ifndef ENTRY_EXPORT
#define ENTRY_EXPORT OVL_EXPORT
#endif
#ifndef ENTRY_BODY
#define ENTRY_BODY
#endif
#ifndef ENTRY_FIELDS
#define ENTRY_FIELDS
#endif
#ifndef METHODS_FIELDS
#define METHODS_FIELDS
#endif
#ifndef DESCRIPTOR_FIELDS
#define DESCRIPTOR_FIELDS
#endif
#ifndef IN_CREATE
#define IN_CREATE
#endif
#ifndef IN_DESTROY
#define IN_DESTROY
#endif
#ifndef IN_INITIALIZE
#define IN_INITIALIZE
#endif
#ifndef IN_SHUTDOWN
#define IN_SHUTDOWN
#endif
#ifndef IN_USB
#define IN_USB
#endif
#ifndef IN_CAN_HANDLE
#define IN_CAN_HANDLE
#endif
#ifndef ON_PRESENCE
#define ON_PRESENCE
#endif
#ifndef ON_SETTINGS
#define ON_SETTINGS
#endif
#ifndef IN_BOOKS
#define IN_BOOKS
#endif
#ifndef LIST_ERROR
#define LIST_ERROR error
#endif
#ifndef LIST_FAILED
#define LIST_FAILED return status;
#endif
#ifndef ON_BOOK
#define ON_BOOK
#endif
#ifndef AFTER_BOOK
#define AFTER_BOOK
#endif
#ifndef SINK_STOPPED
#define SINK_STOPPED return OVL_STOPPED;
#endif
#ifndef BOOKS_DONE
#define BOOKS_DONE
#endif
#ifndef IN_GET
#define IN_GET
#endif
#ifndef ON_CHUNK
#define ON_CHUNK
#endif
#ifndef IN_UPLOAD
#define IN_UPLOAD
#endif
#ifndef IN_UPLOAD_ITEM
#define IN_UPLOAD_ITEM
#endif
#ifndef UPLOAD_ITEM_DONE
#define UPLOAD_ITEM_DONE
#endif
#ifndef BEFORE_UPLOAD
#define BEFORE_UPLOAD
#endif
#ifndef IS_THERE
#define IS_THERE exists(path, error)
#endif
#ifndef ON_UPLOAD_ROW
#define ON_UPLOAD_ROW
#endif
#ifndef UPLOAD_DONE
#define UPLOAD_DONE
#endif
#ifndef IN_ADD
#define IN_ADD
#endif
#ifndef ON_ADD_EDIT
#define ON_ADD_EDIT
#endif
#ifndef IN_REMOVE
#define IN_REMOVE
#endif
#ifndef ON_REMOVE_EDIT
#define ON_REMOVE_EDIT
#endif
#ifndef REMOVE_DONE
#define REMOVE_DONE
#endif
#ifndef IN_DELETE
#define IN_DELETE
#endif
#ifndef IN_DELETE_ITEM
#define IN_DELETE_ITEM
#endif
#ifndef ON_DELETE_ROW
#define ON_DELETE_ROW
#endif
#ifndef AFTER_DELETE_ROW
#define AFTER_DELETE_ROW
#endif
#ifndef DELETE_DONE
#define DELETE_DONE
#endif
#ifndef IN_SYNC
#define IN_SYNC
#endif
#ifndef ON_PREPARE_ROW
#define ON_PREPARE_ROW
#endif
#ifndef IN_EJECT
#define IN_EJECT
#endif
#ifndef IN_CLEANUP
#define IN_CLEANUP
#endif
#ifndef IN_PERFORM
#define IN_PERFORM
#endif
#ifndef ON_ERROR
#define ON_ERROR
#endif
#ifndef AFTER_ERROR
#define AFTER_ERROR
#endif

#define TEXT(text) {text, sizeof(text) - 1}
#define FOLDER "/Documents/"

struct ovl_instance {
    const ovl_log_service *log;
    const ovl_progress_service *progress;
    const ovl_cancel_service *cancel;
    const ovl_transport_service *transport;
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

BEFORE_ALL

/* ---- the device ------------------------------------------------------------------------------------------------ */

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
    ovl_file_sink files = {sizeof files, 0, listing, take_file};
    return instance->transport->list(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &folder, OVL_LIST_WITH_INFO, &files, error);
}

/* What became of one file. */
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

/* Takes the error of a service, whose message is wanted in a row. */
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

/* ---- methods --------------------------------------------------------------------------------------------------- */

static ovl_status initialize(ovl_instance *instance, const ovl_error_sink *error) {
    say(instance, "initialized");
    IN_INITIALIZE
    return OVL_OK;
}

static ovl_status shut_down(ovl_instance *instance, const ovl_error_sink *error) {
    IN_SHUTDOWN
    return OVL_OK;
}

static ovl_status is_usb_connected(ovl_instance *instance, const ovl_list *devices, int32_t presence_only, int64_t *index,
                                   const ovl_error_sink *error) {
    *index = (int64_t)devices->count - 1;
    IN_USB
    return OVL_OK;
}

static ovl_status can_handle(ovl_instance *instance, const ovl_fingerprint *device, const ovl_presence_sink *answer,
                             const ovl_error_sink *error) {
    instance->ejected = 0;
    ovl_presence presence = {.struct_size = sizeof presence, .answer = OVL_PRESENCE_YES};
    IN_CAN_HANDLE
    answer->put(answer->ctx, &presence);
    ON_PRESENCE
    return OVL_OK;
}

static ovl_status settings(ovl_instance *instance, const ovl_settings_sink *sink, const ovl_error_sink *error) {
    ovl_missing missing[2] = {
        {.struct_size = sizeof missing[0], .ability = TEXT("collections"), .reason = TEXT("The app has no collections.")},
        {.struct_size = sizeof missing[0], .ability = TEXT("covers"), .reason = TEXT("The app shows no covers.")}};
    ovl_settings record = {.struct_size = sizeof record, .missing = {missing, 2, sizeof missing[0]}};
    ON_SETTINGS
    return sink->put(sink->ctx, &record) == OVL_OK ? OVL_OK : OVL_STOPPED;
}

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

/* Passes chunks on. */
struct passing {
    const ovl_bytes_sink *to;
    uint64_t total;
};

static ovl_status pass(void *ctx, const ovl_bytes *bytes, uint64_t offset, uint64_t total) {
    struct passing *passing = ctx;
    ovl_bytes chunk = *bytes;
    total = passing->total;
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
    struct passing passing = {bytes, fate.size};
    ovl_bytes_sink chunks = {sizeof chunks, 0, &passing, pass};
    return instance->transport->read(instance->transport->ctx, OVL_ROOT_DOCUMENTS, path, 0, OVL_UNKNOWN, &chunks, error);
}

static int exists_of(ovl_instance *instance, ovl_text path, struct fate *fate) {
    *fate = look(instance, path);
    return fate->status == OVL_OK;
}
#define exists(path, error) exists_of(instance, path, &fate)

BEFORE_UPLOAD

static ovl_status upload_books(ovl_instance *instance, const ovl_list *items, const ovl_upload_options *options,
                               const ovl_result_sink *results, const ovl_error_sink *error) {
    IN_UPLOAD
    for (uint64_t i = 0; i < items->count; i++) {
        const ovl_upload_item *item = (const void *)((const char *)items->items + i * items->stride);
        char text[600];
        snprintf(text, sizeof text, FOLDER "%.*s", (int)item->name.size, item->name.data);
        ovl_text path = view(text);
        ovl_item_result row = {.struct_size = sizeof row, .index = i};
        report(instance, i, items->count);
        struct fate fate = {OVL_OK, "", 0, 0};
        if (is_cancelled(instance)) {
            fate = (struct fate){OVL_CANCELLED, "It was cancelled.", 0, 0};
        } else if (IS_THERE) {
            row.outcome = OVL_OUTCOME_SKIPPED;
            row.path = path;
            row.message = view("It is there already.");
        } else if (fate.status == OVL_NOT_FOUND) {
            IN_UPLOAD_ITEM
            ovl_push_item push = {.struct_size = sizeof push, .file = item->file, .path = path};
            ovl_list pushes = {&push, 1, sizeof push};
            ovl_result_sink rows = {sizeof rows, 0, &fate, take_row};
            struct fate refusal = {OVL_OK, "", 0, 0};
            ovl_error_sink refused = {sizeof refused, 0, &refusal, take_error};
            ovl_status status =
                instance->transport->push(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &pushes, 0, &rows, &refused);
            if (status != OVL_OK) fate = refusal;
            row.outcome = OVL_OUTCOME_ADDED;
            row.path = path;
            UPLOAD_ITEM_DONE
        }
        if (row.outcome != OVL_OUTCOME_SKIPPED && fate.status != OVL_OK) {
            row.outcome = OVL_OUTCOME_FAILED;
            row.status = fate.status;
            row.message = view(fate.message[0] != 0 ? fate.message : "The device refused it.");
            row.path = (ovl_text){0};
        }
        ON_UPLOAD_ROW
        if (results->put(results->ctx, &row) != OVL_OK) return OVL_STOPPED;
    }
    UPLOAD_DONE
    return OVL_OK;
}

static ovl_status add_books_to_metadata(ovl_instance *instance, const ovl_list *added, const ovl_list *snapshot,
                                        const ovl_edit_sink *edits, const ovl_error_sink *error) {
    IN_ADD
    for (uint64_t i = 0; i < added->count; i++) {
        ovl_booklist_edit edit = {.struct_size = sizeof edit, .kind = OVL_EDIT_INSERT};
        memcpy(&edit.book, (const char *)added->items + i * added->stride, sizeof edit.book);
        ON_ADD_EDIT
        if (edits->put(edits->ctx, &edit) != OVL_OK) return OVL_STOPPED;
    }
    return OVL_OK;
}

static ovl_status remove_books_from_metadata(ovl_instance *instance, const ovl_texts *paths, const ovl_list *snapshot,
                                             const ovl_edit_sink *edits, const ovl_error_sink *error) {
    IN_REMOVE
    for (uint64_t i = 0; i < paths->count; i++) {
        int found = 0;
        for (uint64_t j = 0; j < snapshot->count; j++) {
            const ovl_book *book = (const void *)((const char *)snapshot->items + j * snapshot->stride);
            if (!same(book->path, paths->items[i])) continue;
            found = 1;
            ovl_booklist_edit edit = {.struct_size = sizeof edit, .kind = OVL_EDIT_REMOVE, .index = j};
            ON_REMOVE_EDIT
            if (edits->put(edits->ctx, &edit) != OVL_OK) return OVL_STOPPED;
        }
        REMOVE_DONE
    }
    return OVL_OK;
}

static ovl_status delete_books(ovl_instance *instance, const ovl_texts *paths, const ovl_result_sink *results,
                               const ovl_error_sink *error) {
    IN_DELETE
    for (uint64_t i = 0; i < paths->count; i++) {
        ovl_item_result row = {.struct_size = sizeof row, .index = i, .outcome = OVL_OUTCOME_DELETED};
        struct fate fate = {OVL_OK, "", 0, 0};
        ovl_error_sink refused = {sizeof refused, 0, &fate, take_error};
        report(instance, i, paths->count);
        IN_DELETE_ITEM
        {
            ovl_status status = instance->transport->remove(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &paths->items[i], 0,
                                                            &refused);
            if (status != OVL_OK) {
                row.outcome = OVL_OUTCOME_FAILED;
                row.status = status;
                row.message = view(fate.message);
            }
        }
        ON_DELETE_ROW
        if (results->put(results->ctx, &row) != OVL_OK) return OVL_STOPPED;
        AFTER_DELETE_ROW
    }
    DELETE_DONE
    return OVL_OK;
}

static ovl_status sync_booklists(ovl_instance *instance, const ovl_list *list, const ovl_result_sink *results,
                                 const ovl_error_sink *error) {
    IN_SYNC
    for (uint64_t i = 0; i < list->count; i++) {
        const ovl_book *book = (const void *)((const char *)list->items + i * list->stride);
        ovl_text title = title_of(book->path);
        if (book->title.data == NULL || same(book->title, title)) continue;
        char text[700];
        ovl_text rest = {title.data + title.size, book->path.size - (sizeof FOLDER - 1) - title.size};
        snprintf(text, sizeof text, FOLDER "%.*s%.*s", (int)book->title.size, book->title.data, (int)rest.size, rest.data);
        ovl_text path = view(text);
        ovl_item_result row = {.struct_size = sizeof row, .index = i, .outcome = OVL_OUTCOME_UPDATED, .path = path};
        struct fate fate = {OVL_OK, "", 0, 0};
        ovl_error_sink refused = {sizeof refused, 0, &fate, take_error};
        ovl_status status =
            instance->transport->rename(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &book->path, &path, &refused);
        if (status != OVL_OK) {
            row.outcome = OVL_OUTCOME_FAILED;
            row.status = status;
            row.message = view(fate.message);
        }
        if (results->put(results->ctx, &row) != OVL_OK) return OVL_STOPPED;
    }
    return OVL_OK;
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

static ovl_status eject(ovl_instance *instance, const ovl_error_sink *error) {
    instance->ejected = 1;
    IN_EJECT
    return OVL_OK;
}

static ovl_status post_yank_cleanup(ovl_instance *instance, const ovl_error_sink *error) {
    IN_CLEANUP
    return OVL_OK;
}

static ovl_status perform(ovl_instance *instance, const ovl_text *command, const ovl_list *parameters, const ovl_texts *paths,
                          const ovl_bytes_sink *answer, const ovl_error_sink *error) {
    IN_PERFORM
    return fail(error, OVL_NOT_SUPPORTED, "There is no such command.");
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

static const void *service(const ovl_host *host, const char *id) {
    ovl_text text = view(id);
    return host->get_service(host->ctx, &text, 24);
}

static ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
    ovl_instance *made = calloc(1, sizeof *made);
    if (made == NULL) return fail(error, OVL_HOST_IO, "There is no memory.");
    made->log = service(host, OVL_SERVICE_LOG);
    made->progress = service(host, OVL_SERVICE_PROGRESS);
    made->cancel = service(host, OVL_SERVICE_CANCEL);
    made->transport = service(host, OVL_SERVICE_TRANSPORT);
    *instance = made;
    IN_CREATE
    return OVL_OK;
}

static void destroy(ovl_instance *instance) {
    IN_DESTROY
    free(instance);
}

static const ovl_text app_ids[] = {TEXT("org.example.base")};
static const ovl_text formats[] = {TEXT("epub")};
static const ovl_text settable[] = {TEXT("title"), TEXT("something else")};
static const ovl_option options[] = {
    {.struct_size = sizeof(ovl_option), .key = TEXT("base_shout"), .type = OVL_OPTION_BOOL, .fallback = TEXT("false"),
     .label = TEXT("Shout"), .help = TEXT("Whether to say it loudly.")}};
static const ovl_descriptor descriptor = {
    .struct_size = sizeof descriptor,
    .flags = OVL_TRAIT_CAN_FETCH,
    .id = TEXT("base"),
    .name = TEXT("Base"),
    .version = TEXT("1.0.0"),
    .summary = TEXT("Keeps every rule."),
    .app_name = TEXT("Base"),
    .app_ids = {app_ids, 1},
    .formats = {formats, 1},
    .settable_metadata = {settable, 1},
    .options = {options, 1, sizeof options[0]},
    .help = TEXT("# Base\n\nAn overlay for the tests of the checker."),
    DESCRIPTOR_FIELDS};

static const ovl_methods methods = {
    .struct_size = sizeof methods,
    .initialize = initialize,
    .shutdown = shut_down,
    .is_usb_connected = is_usb_connected,
    .can_handle = can_handle,
    .books = books,
    .upload_books = upload_books,
    .add_books_to_metadata = add_books_to_metadata,
    .delete_books = delete_books,
    .remove_books_from_metadata = remove_books_from_metadata,
    .sync_booklists = sync_booklists,
    .get_file = get_file,
    .prepare_addable_books = prepare_addable_books,
    .eject = eject,
    .post_yank_cleanup = post_yank_cleanup,
    .settings = settings,
    .perform = perform,
    METHODS_FIELDS};

static const ovl_entry entry = {
    .struct_size = sizeof entry,
    .abi_major = OVL_ABI_MAJOR,
    .abi_minor = OVL_ABI_MINOR,
    .descriptor = &descriptor,
    .methods = &methods,
    .create = create,
    .destroy = destroy,
    ENTRY_FIELDS};

ENTRY_EXPORT const ovl_entry *ENTRY_NAME(void) {
    ENTRY_BODY
    return &entry;
}
