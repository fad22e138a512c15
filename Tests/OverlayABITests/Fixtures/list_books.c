/* The smallest host: loads an overlay, has it list its books, and prints them. Usage: list_books OVERLAY [FOLDER]
 * With FOLDER the overlay gets a transport service whose container is that folder (folder_transport.c). */
#include "overlay_abi.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>

const void *folder_transport(const char *folder, const ovl_text *id, uint32_t min_size);

#define TEXT(view) (int)(view).size, (view).data ? (view).data : ""

static const void *get_service(void *ctx, const ovl_text *id, uint32_t min_size) {
    return ctx ? folder_transport(ctx, id, min_size) : NULL;
}

static void put_error(void *ctx, const ovl_error *error) {
    fprintf(stderr, "%s: status %" PRId32 ": %.*s\n", (const char *)ctx, error->status, TEXT(error->message));
}

static ovl_status put_presence(void *ctx, const ovl_presence *presence) {
    *(uint32_t *)ctx = presence->answer;
    return OVL_OK;
}

static ovl_status put_book(void *ctx, const ovl_book *book) {
    printf("%.*s\t%.*s\n", TEXT(book->path), TEXT(book->title));
    return --*(int *)ctx == 0 ? OVL_STOPPED : OVL_OK;
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) return 64;
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 70;
    const ovl_entry *(*entry_v1)(void);
    *(void **)&entry_v1 = dlsym(library, "ovl_entry_v1");
    if (!entry_v1) return fprintf(stderr, "%s\n", dlerror()), 70;
    const ovl_entry *entry = entry_v1();
    if (entry->abi_major != OVL_ABI_MAJOR || !entry->methods->books) return 70;
    printf("%.*s %.*s\n", TEXT(entry->descriptor->name), TEXT(entry->descriptor->version));

    ovl_host host = {.struct_size = sizeof host, .ctx = argv[2], .abi_major = OVL_ABI_MAJOR, .get_service = get_service,
                     .name = {"list_books", 10}, .version = {"1", 1}};
    ovl_error_sink errors = {.struct_size = sizeof errors, .ctx = "list_books", .put = put_error};
    ovl_instance *instance = NULL;
    if (entry->create(&host, &instance, &errors) != OVL_OK) return 70;
    ovl_status status = OVL_OK;
    if (entry->methods->initialize) status = entry->methods->initialize(instance, &errors);

    uint32_t answer = OVL_PRESENCE_YES;
    ovl_presence_sink presence = {.struct_size = sizeof presence, .ctx = &answer, .put = put_presence};
    ovl_fingerprint device = {.struct_size = sizeof device, .vendor_id = 0x5ac, .serial = {"c-host", 6}};
    if (status == OVL_OK && entry->methods->can_handle)
        status = entry->methods->can_handle(instance, &device, &presence, &errors);
    fprintf(stderr, "presence %" PRIu32 "\n", answer);

    int left = 1000;
    ovl_book_sink books = {.struct_size = sizeof books, .ctx = &left, .put = put_book};
    ovl_books_options options = {.struct_size = sizeof options, .volume = OVL_VOLUME_MAIN};
    if (status == OVL_OK) status = entry->methods->books(instance, &options, &books, &errors);
    if (entry->methods->shutdown) entry->methods->shutdown(instance, &errors);
    entry->destroy(instance);
    printf("status %" PRId32 "\n", status);
    return status == OVL_OK ? 0 : 1;
}
