/* An overlay with two-way sync for Jotter, an invented app that keeps notes as text files in its shared folder.
 *
 * `overlayhost sync FOLDER` calls `sync_source`. It compares both sides with their state after the last sync, reports the plan, and
 * then carries it out. The overlay has no access to the folder: the host copies the files between folder and device. */
#include "overlay_abi.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(literal) {literal, sizeof literal - 1}
#define SIZE_UP_TO(table, last) ((uint32_t)(offsetof(table, last) + sizeof(((table *)0)->last)))
#define FOLDER "/Documents/"
#define MOST 1000
#define NAME 200
#define STAMP 96

struct ovl_instance {
    const ovl_transport_service *transport;
    const ovl_source_service *source;
};

static ovl_status fail(const ovl_error_sink *sink, ovl_status status, ovl_text message) {
    ovl_error error = {.struct_size = sizeof error, .status = status, .message = message};
    if (sink->put) sink->put(sink->ctx, &error);
    return status;
}

/* ---- the notes ----------------------------------------------------------------------------------------------- */

/* A note as it is now in the folder and on the device, and as it was after the last sync. */
struct note {
    char name[NAME + 1];
    char stamp[STAMP + 1], agreed_stamp[STAMP + 1];
    uint64_t size, device_size, agreed_size;
    int64_t modified, agreed_modified;
    int here, there, agreed;
    uint32_t action, flags;
    const char *reason;
    ovl_status status;
    char message[300];
};

struct notes {
    struct note list[MOST];
    uint64_t count;
};

/* Finds a note by its name, or makes a new one. Returns null if the name is not that of a note. */
static struct note *find(struct notes *notes, ovl_text name) {
    if (name.size < 5 || name.size > NAME || name.data[0] == '.') return NULL;
    if (memcmp(name.data + name.size - 4, ".txt", 4) != 0) return NULL;
    for (uint64_t i = 0; i < notes->count; i++) {
        struct note *note = &notes->list[i];
        if (strlen(note->name) == name.size && memcmp(note->name, name.data, name.size) == 0) return note;
    }
    if (notes->count == MOST) return NULL;
    struct note *note = &notes->list[notes->count++];
    memcpy(note->name, name.data, name.size);
    return note;
}

static ovl_status take_local(void *ctx, uint64_t index, ovl_status status, const ovl_source_file *file,
                             const ovl_error *error) {
    (void)index, (void)error;
    struct note *note = status == OVL_OK && file->kind == OVL_FILE_REGULAR ? find(ctx, file->name) : NULL;
    if (note == NULL || file->stamp.size > STAMP) return OVL_OK;
    memcpy(note->stamp, file->stamp.data, file->stamp.size);
    note->size = file->size;
    note->here = 1;
    return OVL_OK;
}

static ovl_status take_remote(void *ctx, uint64_t index, ovl_status status, const ovl_file_info *info,
                              const ovl_error *error) {
    (void)index, (void)error;
    struct note *note = status == OVL_OK && info->kind == OVL_FILE_REGULAR ? find(ctx, info->name) : NULL;
    if (note == NULL) return OVL_OK;
    note->device_size = info->size;
    note->modified = info->modified;
    note->there = 1;
    return OVL_OK;
}

/* ---- the state after the last sync --------------------------------------------------------------------------- */

struct buffer {
    char *bytes;
    uint64_t size;
};

static ovl_status take_bytes(void *ctx, const ovl_bytes *chunk, uint64_t offset, uint64_t total) {
    struct buffer *buffer = ctx;
    (void)offset, (void)total;
    char *grown = realloc(buffer->bytes, buffer->size + chunk->size + 1);
    if (grown == NULL) return OVL_STOPPED;
    buffer->bytes = grown;
    memcpy(grown + buffer->size, chunk->data, chunk->size);
    buffer->size += chunk->size;
    grown[buffer->size] = 0;
    return OVL_OK;
}

static const ovl_text state_key = TEXT("agreed");

/* One line for each note: stamp, size and time on the device, name. */
static ovl_status recall(ovl_instance *instance, struct notes *notes, const ovl_error_sink *error) {
    struct buffer buffer = {NULL, 0};
    ovl_bytes_sink sink = {.struct_size = sizeof sink, .ctx = &buffer, .put = take_bytes};
    ovl_status status = instance->source->state_get(instance->source->ctx, &state_key, &sink, NULL);
    if (status == OVL_NOT_FOUND) return OVL_OK;
    if (status != OVL_OK) return fail(error, status, (ovl_text)TEXT("The state after the last sync cannot be read."));
    for (char *line = strtok(buffer.bytes, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char stamp[STAMP + 1];
        uint64_t size;
        int64_t modified;
        int start = 0;
        if (sscanf(line, "%96s %" SCNu64 " %" SCNd64 " %n", stamp, &size, &modified, &start) < 3 || start == 0) continue;
        struct note *note = find(notes, (ovl_text){line + start, strlen(line + start)});
        if (note == NULL) continue;
        strcpy(note->agreed_stamp, stamp);
        note->agreed_size = size;
        note->agreed_modified = modified;
        note->agreed = 1;
    }
    free(buffer.bytes);
    return OVL_OK;
}

static ovl_status remember(ovl_instance *instance, const struct notes *notes, const ovl_error_sink *error) {
    size_t room = (size_t)notes->count * (NAME + STAMP + 64) + 1, used = 0;
    char *text = malloc(room);
    if (text == NULL) return fail(error, OVL_HOST_IO, (ovl_text)TEXT("Out of memory."));
    for (uint64_t i = 0; i < notes->count; i++) {
        const struct note *note = &notes->list[i];
        if (!note->agreed) continue;
        used += (size_t)snprintf(text + used, room - used, "%s %" PRIu64 " %" PRId64 " %s\n", note->agreed_stamp,
                                 note->agreed_size, note->agreed_modified, note->name);
    }
    ovl_bytes bytes = {(const uint8_t *)text, used};
    ovl_status status = instance->source->state_put(instance->source->ctx, &state_key, &bytes, error);
    free(text);
    return status;
}

/* ---- the plan ------------------------------------------------------------------------------------------------ */

static void plan(struct note *note, int deletes) {
    int changed_here = strcmp(note->stamp, note->agreed_stamp) != 0;
    int changed_there = note->device_size != note->agreed_size || note->modified != note->agreed_modified;
    note->action = OVL_SYNC_KEEP;
    if (note->here && note->there && note->agreed) {
        if (changed_here && changed_there) {
            note->action = OVL_SYNC_CONFLICT;
            note->reason = "The note was changed in the folder and on the device.";
        } else if (changed_here || changed_there) {
            note->action = OVL_SYNC_REPLACE;
            note->flags = changed_here ? OVL_SYNC_ROW_CHANGES_DEVICE : OVL_SYNC_ROW_CHANGES_SOURCE;
        }
    } else if (note->here && note->there) {
        note->action = OVL_SYNC_CONFLICT;
        note->reason = "Both the folder and the device have a note with this name.";
    } else if (!note->agreed) {
        note->action = OVL_SYNC_ADD;
        note->flags = note->here ? OVL_SYNC_ROW_CHANGES_DEVICE : OVL_SYNC_ROW_CHANGES_SOURCE;
    } else if ((note->here && changed_here) || (note->there && changed_there)) {
        note->action = OVL_SYNC_ADD;
        note->flags = note->here ? OVL_SYNC_ROW_CHANGES_DEVICE : OVL_SYNC_ROW_CHANGES_SOURCE;
        note->reason = "The note was deleted on one side and changed on the other.";
    } else if (deletes) {
        note->action = OVL_SYNC_REMOVE;
        note->flags = note->here ? OVL_SYNC_ROW_CHANGES_SOURCE : OVL_SYNC_ROW_CHANGES_DEVICE;
    }
}

/* ---- carrying it out ----------------------------------------------------------------------------------------- */

static void take_error(void *ctx, const ovl_error *error) {
    struct note *note = ctx;
    int size = error->message.data ? (int)(error->message.size < 299 ? error->message.size : 299) : 0;
    snprintf(note->message, sizeof note->message, "%.*s", size, size ? error->message.data : "");
}

/* Updates a note from the row of its copy. */
static ovl_status take_copy(void *ctx, uint64_t index, ovl_status status, const ovl_source_file *file,
                            const ovl_error *error) {
    struct note *note = ctx;
    (void)index;
    note->status = status;
    if (status != OVL_OK) {
        take_error(note, error);
    } else if (file->stamp.size <= STAMP) {
        snprintf(note->agreed_stamp, sizeof note->agreed_stamp, "%.*s", (int)file->stamp.size, file->stamp.data);
        note->agreed_size = file->size;
        note->agreed_modified = file->device_modified;
        note->agreed = 1;
    }
    return OVL_OK;
}

static void carry_out(ovl_instance *instance, struct note *note) {
    char text[NAME + sizeof FOLDER];
    snprintf(text, sizeof text, FOLDER "%s", note->name);
    ovl_text path = {note->name, strlen(note->name)}, device_path = {text, strlen(text)};
    ovl_text stamp = {note->stamp, strlen(note->stamp)};
    ovl_error_sink error = {.struct_size = sizeof error, .ctx = note, .put = take_error};
    const ovl_source_service *source = instance->source;
    if (note->action == OVL_SYNC_REMOVE) {
        note->status = note->here ? source->trash(source->ctx, &path, &stamp, &error)
                                  : instance->transport->remove(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &device_path,
                                                                0, &error);
        if (note->status == OVL_OK) note->agreed = 0;
        return;
    }
    ovl_source_item item = {.struct_size = sizeof item, .path = path, .device_path = device_path};
    if (note->here) item.expected = stamp;
    ovl_list items = {&item, 1, sizeof item};
    ovl_source_sink sink = {.struct_size = sizeof sink, .ctx = note, .put = take_copy};
    ovl_status status = note->flags == OVL_SYNC_ROW_CHANGES_DEVICE
                            ? source->send(source->ctx, OVL_ROOT_DOCUMENTS, &items, &sink, &error)
                            : source->fetch(source->ctx, OVL_ROOT_DOCUMENTS, &items, &sink, &error);
    if (status != OVL_OK) note->status = status;
}

static ovl_status report(const struct note *note, uint64_t index, const ovl_result_sink *results) {
    ovl_item_result row = {.struct_size = sizeof row, .index = index, .status = note->status};
    row.message = (ovl_text){note->message, strlen(note->message)};
    if (note->status != OVL_OK) {
        row.outcome = OVL_OUTCOME_FAILED;
    } else if (note->action == OVL_SYNC_CONFLICT) {
        row.outcome = OVL_OUTCOME_SKIPPED;
        row.message = (ovl_text){note->reason, strlen(note->reason)};
    } else if (note->action == OVL_SYNC_REMOVE) {
        row.outcome = OVL_OUTCOME_DELETED;
    } else {
        row.outcome = note->action == OVL_SYNC_ADD ? OVL_OUTCOME_ADDED : OVL_OUTCOME_REPLACED;
    }
    return results->put(results->ctx, &row);
}

static ovl_status sync_notes(ovl_instance *instance, struct notes *notes, const ovl_sync_options *options,
                             const ovl_sync_row_sink *rows, const ovl_result_sink *results, const ovl_error_sink *error) {
    static const ovl_text top = {"", 0}, documents = TEXT("/Documents");
    ovl_source_sink local = {.struct_size = sizeof local, .ctx = notes, .put = take_local};
    ovl_file_sink remote = {.struct_size = sizeof remote, .ctx = notes, .put = take_remote};
    ovl_status status = instance->source->list(instance->source->ctx, &top, &local, error);
    if (status == OVL_OK)
        status = instance->transport->list(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &documents, OVL_LIST_WITH_INFO,
                                           &remote, error);
    if (status == OVL_OK) status = recall(instance, notes, error);
    if (status != OVL_OK) return status;
    for (uint64_t i = 0; i < notes->count; i++) {
        struct note *note = &notes->list[i];
        plan(note, (options->flags & OVL_SYNC_DELETES) != 0);
        ovl_sync_row row = {.struct_size = sizeof row, .action = note->action, .flags = note->flags,
                            .item = {note->name, strlen(note->name)}};
        if (note->reason) row.reason = (ovl_text){note->reason, strlen(note->reason)};
        if (note->action == OVL_SYNC_ADD || note->action == OVL_SYNC_REPLACE)
            row.bytes = note->flags == OVL_SYNC_ROW_CHANGES_DEVICE ? note->size : note->device_size;
        if (rows->put(rows->ctx, &row) != OVL_OK) return OVL_STOPPED;
    }
    if (options->flags & OVL_SYNC_DRY_RUN) return OVL_OK;
    int changes = 0;
    for (uint64_t i = 0; i < notes->count; i++) {
        struct note *note = &notes->list[i];
        if (note->action == OVL_SYNC_KEEP) continue;
        if (note->action != OVL_SYNC_CONFLICT) {
            carry_out(instance, note);
            changes = 1;
        }
        if (report(note, i, results) != OVL_OK) return OVL_STOPPED;
        if (note->status == OVL_CANCELLED || note->status == OVL_TIMED_OUT || note->status == OVL_DEVICE_GONE) {
            ovl_status saved = remember(instance, notes, NULL);
            return fail(error, saved == OVL_OK ? note->status : saved, (ovl_text)TEXT("The sync was interrupted."));
        }
    }
    return changes ? remember(instance, notes, error) : OVL_OK;
}

static ovl_status sync_source(ovl_instance *instance, const ovl_sync_options *options, const ovl_sync_row_sink *rows,
                              const ovl_result_sink *results, const ovl_error_sink *error) {
    if (instance->source == NULL || instance->transport == NULL)
        return fail(error, OVL_NOT_SUPPORTED, (ovl_text)TEXT("This host cannot sync folders."));
    struct notes *notes = calloc(1, sizeof *notes);
    if (notes == NULL) return fail(error, OVL_HOST_IO, (ovl_text)TEXT("Out of memory."));
    ovl_status status = sync_notes(instance, notes, options, rows, results, error);
    free(notes);
    return status;
}

/* ---- the overlay --------------------------------------------------------------------------------------------- */

static ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
    static const ovl_text transport = TEXT(OVL_SERVICE_TRANSPORT), source = TEXT(OVL_SERVICE_SOURCE);
    ovl_instance *made = calloc(1, sizeof *made);
    if (made == NULL) return fail(error, OVL_HOST_IO, (ovl_text)TEXT("Out of memory."));
    made->transport = host->get_service(host->ctx, &transport, SIZE_UP_TO(ovl_transport_service, remove));
    made->source = host->get_service(host->ctx, &source, SIZE_UP_TO(ovl_source_service, state_put));
    *instance = made;
    return OVL_OK;
}

static void destroy(ovl_instance *instance) { free(instance); }

static const ovl_text app_ids[] = {TEXT("org.example.jotter")};
static const ovl_text formats[] = {TEXT("txt")};
static const ovl_descriptor descriptor = {.struct_size = sizeof descriptor,
                                          .id = TEXT("jotter"),
                                          .name = TEXT("Jotter"),
                                          .version = TEXT("1.0.0"),
                                          .summary = TEXT("Syncs the notes of Jotter, an example."),
                                          .app_name = TEXT("Jotter"),
                                          .app_ids = {app_ids, 1},
                                          .formats = {formats, 1}};
static const ovl_methods methods = {.struct_size = sizeof methods, .sync_source = sync_source};
static const ovl_entry entry = {.struct_size = sizeof entry,
                                .abi_major = OVL_ABI_MAJOR,
                                .abi_minor = OVL_ABI_MINOR,
                                .descriptor = &descriptor,
                                .methods = &methods,
                                .create = create,
                                .destroy = destroy};

OVL_EXPORT const ovl_entry *ovl_entry_v1(void) { return &entry; }
