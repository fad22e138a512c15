/* An overlay with its own sniffer for Pamphlet, an invented reader app whose file names do not show the format of a book. The
 * host does not know the app's own format, which begins with the line PAMPHLET1.
 *
 * The sniffer is data. The host applies it whenever it sniffs files for this overlay. */
#include "overlay_abi.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(literal) {literal, sizeof literal - 1}
#define SIZE_UP_TO(table, last) ((uint32_t)(offsetof(table, last) + sizeof(((table *)0)->last)))
#define SHELF "/Documents/"

struct ovl_instance {
    const ovl_transport_service *transport;
    const ovl_sniff_service *sniff;
};

static ovl_status fail(const ovl_error_sink *sink, ovl_status status, ovl_text message) {
    ovl_error error = {.struct_size = sizeof error, .status = status, .message = message};
    if (sink->put) sink->put(sink->ctx, &error);
    return status;
}

static void ignore_error(void *ctx, const ovl_error *error) {
    (void)ctx;
    (void)error;
}

/* ---- the sniffer -------------------------------------------------------------------------------------------- */

/* Registers the format with the host, by its extension and by the first bytes of a file. */
static ovl_status initialize(ovl_instance *instance, const ovl_error_sink *error) {
    static const uint8_t magic[] = {'P', 'A', 'M', 'P', 'H', 'L', 'E', 'T', '1', '\n'};
    const ovl_sniff_rule rules[] = {{.struct_size = sizeof rules[0], .kind = OVL_RULE_MAGIC, .offset = 0,
                                     .bytes = {magic, sizeof magic}}};
    const ovl_sniffer sniffer = {.struct_size = sizeof sniffer,
                                 .media_type = TEXT("application/vnd.example.pamphlet"),
                                 .name = TEXT("Pamphlet"),
                                 .extension = TEXT("pamphlet"),
                                 .rules = {rules, 1, sizeof rules[0]}};
    return instance->sniff->register_sniffer(instance->sniff->ctx, &sniffer, error);
}

/* ---- listing ------------------------------------------------------------------------------------------------ */

/* The files of the app, and the sources to ask the host about. */
struct files {
    ovl_source *sources;
    uint64_t *sizes;
    uint64_t count, room;
    const ovl_book_sink *books;
    int out_of_memory;
    /* The error that ends the whole listing. */
    ovl_status end;
};

static ovl_status put_file(void *ctx, uint64_t index, ovl_status status, const ovl_file_info *info,
                           const ovl_error *error) {
    (void)index, (void)error;
    struct files *files = ctx;
    if (status != OVL_OK || info->kind != OVL_FILE_REGULAR) return OVL_OK;
    if (files->count == files->room) {
        uint64_t room = files->room ? 2 * files->room : 64;
        ovl_source *sources = realloc(files->sources, room * sizeof *sources);
        if (sources) files->sources = sources;
        uint64_t *sizes = sources ? realloc(files->sizes, room * sizeof *sizes) : NULL;
        if (sizes) files->sizes = sizes, files->room = room;
    }
    /* The name is borrowed until this function returns. */
    char *path = files->count < files->room ? malloc(sizeof SHELF + info->name.size) : NULL;
    if (!path) {
        files->out_of_memory = 1;
        return OVL_STOPPED;
    }
    memcpy(path, SHELF, sizeof SHELF - 1);
    memcpy(path + sizeof SHELF - 1, info->name.data, info->name.size);
    files->sizes[files->count] = info->size;
    files->sources[files->count++] = (ovl_source){.struct_size = sizeof(ovl_source), .kind = OVL_SOURCE_DEVICE,
                                                  .root = OVL_ROOT_DOCUMENTS,
                                                  .path = {path, sizeof SHELF - 1 + info->name.size}};
    return OVL_OK;
}

/* A file with a known format is a book: a pamphlet by our sniffer, an EPUB or PDF by the host's. */
static ovl_status put_format(void *ctx, uint64_t index, ovl_status status, const ovl_format *format,
                             const ovl_error *error) {
    (void)error;
    struct files *files = ctx;
    /* Skip a file that cannot be read. But if the device is gone, fail: an incomplete list must not look complete. */
    if (status == OVL_DEVICE_GONE || status == OVL_CANCELLED || status == OVL_TIMED_OUT) {
        files->end = status;
        return OVL_STOPPED;
    }
    if (status != OVL_OK || !format->media_type.data || index >= files->count) return OVL_OK;
    ovl_text path = files->sources[index].path;
    ovl_book book = {.struct_size = sizeof book, .flags = OVL_BOOK_HAS_SIZE, .path = path, .format = format->media_type,
                     .title = {path.data + sizeof SHELF - 1, path.size - (sizeof SHELF - 1)},
                     .size = files->sizes[index]};
    return files->books->put(files->books->ctx, &book);
}

static ovl_status books(ovl_instance *instance, const ovl_books_options *options, const ovl_book_sink *sink,
                        const ovl_error_sink *error) {
    static const ovl_text shelf = TEXT("/Documents");
    if (options->volume != OVL_VOLUME_MAIN) return OVL_OK;
    struct files files = {.books = sink};
    ovl_file_sink rows = {.struct_size = sizeof rows, .ctx = &files, .put = put_file};
    ovl_status status = instance->transport->list(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &shelf,
                                                  OVL_LIST_WITH_INFO, &rows, error);
    if (files.out_of_memory) status = fail(error, OVL_FAILED, (ovl_text)TEXT("There is not enough memory."));
    if (status == OVL_OK && files.count > 0) {
        /* One call for all files: the host reads a few bytes of each, several at a time. */
        ovl_list sources = {files.sources, files.count, sizeof(ovl_source)};
        ovl_sniff_hints hints = {.struct_size = sizeof hints, .flags = OVL_SNIFF_CONTENT_ONLY};
        ovl_format_sink formats = {.struct_size = sizeof formats, .ctx = &files, .put = put_format};
        /* If we stopped the call, we know the reason, so its own error is not passed on. */
        ovl_error_sink unheard = {.struct_size = sizeof unheard, .put = ignore_error};
        status = instance->sniff->sniff(instance->sniff->ctx, &sources, &hints, &formats, &unheard);
        if (files.end != OVL_OK && (status == OVL_OK || status == OVL_STOPPED)) status = files.end;
        if (status != OVL_OK && status != OVL_STOPPED)
            fail(error, status, (ovl_text)TEXT("The books could not be read."));
    }
    for (uint64_t i = 0; i < files.count; i++) free((void *)(uintptr_t)files.sources[i].path.data);
    free(files.sources);
    free(files.sizes);
    return status;
}

static ovl_status get_file(ovl_instance *instance, const ovl_text *path, const ovl_bytes_sink *bytes,
                           const ovl_error_sink *error) {
    return instance->transport->read(instance->transport->ctx, OVL_ROOT_DOCUMENTS, path, 0, OVL_UNKNOWN, bytes, error);
}

/* ---- life and description ----------------------------------------------------------------------------------- */

static ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
    static const ovl_text transport_id = TEXT(OVL_SERVICE_TRANSPORT), sniff_id = TEXT(OVL_SERVICE_SNIFF);
    const ovl_transport_service *transport =
        host->get_service(host->ctx, &transport_id, SIZE_UP_TO(ovl_transport_service, read));
    const ovl_sniff_service *sniff =
        host->get_service(host->ctx, &sniff_id, SIZE_UP_TO(ovl_sniff_service, register_sniffer));
    if (!transport || !sniff)
        return fail(error, OVL_NOT_SUPPORTED, (ovl_text)TEXT("This host does not give access to files or cannot sniff them."));
    *instance = malloc(sizeof **instance);
    if (!*instance) return fail(error, OVL_FAILED, (ovl_text)TEXT("There is not enough memory."));
    **instance = (ovl_instance){.transport = transport, .sniff = sniff};
    return OVL_OK;
}

static void destroy(ovl_instance *instance) { free(instance); }

static const ovl_text app_ids[] = {TEXT("org.example.pamphlet")};
static const ovl_text extensions[] = {TEXT("pamphlet"), TEXT("epub"), TEXT("pdf")};

static const ovl_descriptor descriptor = {
    .struct_size = sizeof descriptor, .flags = OVL_TRAIT_CAN_FETCH, .id = TEXT("pamphlet"), .name = TEXT("Pamphlet"),
    .version = TEXT("0.1.0"), .summary = TEXT("Lists and fetches the books of Pamphlet under any name."),
    .app_name = TEXT("Pamphlet"), .app_ids = {app_ids, 1}, .formats = {extensions, 3}};

static const ovl_methods methods = {
    .struct_size = sizeof methods, .initialize = initialize, .books = books, .get_file = get_file};

static const ovl_entry entry = {
    .struct_size = sizeof entry, .abi_major = OVL_ABI_MAJOR, .abi_minor = OVL_ABI_MINOR, .descriptor = &descriptor,
    .methods = &methods, .create = create, .destroy = destroy};

const ovl_entry *ovl_entry_v1(void) { return &entry; }
