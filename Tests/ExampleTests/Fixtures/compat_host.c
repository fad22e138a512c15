/* A host that loads an overlay, has it list and add, and prints what arrives, each record as far as both sides know it.
 * NEWER as in compat_overlay.c. */
#include "overlay_abi.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define TEXT(literal) {literal, sizeof literal - 1}
#define VIEW(view) (int)(view).size, (view).data ? (view).data : ""
/* A record of another minor version: what it has of ours, the rest zero. */
#define COPY(to, from)                                                                                                 \
    do {                                                                                                               \
        uint32_t size_ = *(const uint32_t *)(const void *)(from);                                                      \
        memset(&(to), 0, sizeof(to));                                                                                  \
        memcpy(&(to), (from), size_ < sizeof(to) ? size_ : sizeof(to));                                                \
    } while (0)

static int32_t enabled(void *ctx, uint32_t severity) { return (void)ctx, (void)severity, 0; }

static const void *get_service(void *ctx, const ovl_text *id, uint32_t min_size) {
    static const ovl_log_service log = {.struct_size = sizeof log, .enabled = enabled};
    (void)ctx;
    int is_log = id->size == strlen(OVL_SERVICE_LOG) && !memcmp(id->data, OVL_SERVICE_LOG, id->size);
    return is_log && min_size <= sizeof log ? &log : NULL;
}

static void put_error(void *ctx, const ovl_error *error) {
    (void)ctx;
    printf("error %" PRId32 " %.*s\n", error->status, VIEW(error->message));
}

static ovl_status put_book(void *ctx, const ovl_book *from) {
    (void)ctx;
    ovl_book book;
    COPY(book, from);
    printf("book %.*s, %.*s, %" PRIu64 " bytes", VIEW(book.path), VIEW(book.title), book.size);
#if OVL_ABI_MINOR >= 2
    printf(", %" PRIu64 " words", book.word_count);
#endif
#ifdef NEWER
    printf(", mark %" PRIu64, book.newer_mark);
#endif
    printf("\n");
    return OVL_OK;
}

static ovl_status put_result(void *ctx, const ovl_item_result *from) {
    (void)ctx;
    ovl_item_result row;
    COPY(row, from);
    printf("row %" PRIu64 " %.*s %.*s\n", row.index, VIEW(row.path), VIEW(row.message));
    return OVL_OK;
}

int main(int argc, char **argv) {
    if (argc != 2) return 64;
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 70;
    const ovl_entry *(*entry_v1)(void);
    *(void **)&entry_v1 = dlsym(library, "ovl_entry_v1");
    if (!entry_v1) return 70;
    ovl_entry entry;
    ovl_methods methods;
    ovl_descriptor descriptor;
    COPY(entry, entry_v1());
    COPY(methods, entry.methods);
    COPY(descriptor, entry.descriptor);
    printf("%.*s", VIEW(descriptor.name));
#ifdef NEWER
    printf(", %.*s, method %s", VIEW(descriptor.newer_text), methods.newer_method ? "there" : "missing");
#endif
    printf("\n");

    ovl_host host = {.struct_size = sizeof host, .abi_major = OVL_ABI_MAJOR, .abi_minor = OVL_ABI_MINOR,
                     .name = TEXT("compat"), .version = TEXT("1"), .get_service = get_service};
    ovl_error_sink errors = {.struct_size = sizeof errors, .put = put_error};
    ovl_instance *instance = NULL;
    if (entry.create(&host, &instance, &errors) != OVL_OK) return 70;
    ovl_book_sink books = {.struct_size = sizeof books, .put = put_book};
    ovl_books_options options = {.struct_size = sizeof options};
    ovl_status status = methods.books(instance, &options, &books, &errors);

    ovl_upload_item items[2] = {{.struct_size = sizeof items[0], .file = 1, .book.title = TEXT("first")},
                                {.struct_size = sizeof items[0], .file = 2, .book.title = TEXT("second")}};
    items[0].book.struct_size = items[1].book.struct_size = sizeof items[0].book;
#ifdef NEWER
    items[1].book.newer_mark = 77;
#endif
    ovl_list list = {items, 2, sizeof items[0]};
    ovl_upload_options upload = {.struct_size = sizeof upload};
    ovl_result_sink results = {.struct_size = sizeof results, .put = put_result};
    if (status == OVL_OK) status = methods.upload_books(instance, &list, &upload, &results, &errors);
    entry.destroy(instance);
    printf("status %" PRId32 "\n", status);
    return 0;
}
