/* An overlay without a device that uses everything in the header it is built with, and says so by titles and rows. With
 * NEWER defined the header is one of a later minor version, made by the test: it has `ovl_book.newer_mark`, a method
 * `newer_method`, a function `newer_function` of the log, and `ovl_descriptor.newer_text`. */
#include "overlay_abi.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(literal) {literal, sizeof literal - 1}
#define SIZE_UP_TO(table, last) ((uint32_t)(offsetof(table, last) + sizeof(((table *)0)->last)))

struct ovl_instance {
    /* 2: the newer table; 1: the one that every host has; 0: none. */
    int log;
};

static ovl_status books(ovl_instance *instance, const ovl_books_options *options, const ovl_book_sink *sink,
                        const ovl_error_sink *error) {
    (void)options, (void)error;
    static const ovl_text titles[] = {TEXT("no log"), TEXT("old log"), TEXT("newer log")};
    for (int i = 0; i < 2; i++) {
        ovl_book book = {.struct_size = sizeof book, .path = i ? (ovl_text)TEXT("b") : (ovl_text)TEXT("a"),
                         .title = titles[instance->log], .flags = OVL_BOOK_HAS_SIZE, .size = 7};
#if OVL_ABI_MINOR >= 2
        book.flags |= OVL_BOOK_HAS_WORD_COUNT;
        book.word_count = 12;
#endif
#ifdef NEWER
        book.newer_mark = 99;
#endif
        if (sink->put(sink->ctx, &book) != OVL_OK) return OVL_STOPPED;
    }
    return OVL_OK;
}

/* Tells the title of each item back, so that a wrong step from one to the next shows. */
static ovl_status upload_books(ovl_instance *instance, const ovl_list *items, const ovl_upload_options *options,
                               const ovl_result_sink *results, const ovl_error_sink *error) {
    (void)instance, (void)options, (void)error;
    for (uint64_t i = 0; i < items->count; i++) {
        const ovl_upload_item *item = (const void *)((const char *)items->items + i * items->stride);
        ovl_item_result row = {.struct_size = sizeof row, .index = i, .outcome = OVL_OUTCOME_ADDED,
                               .path = item->book.title};
#ifdef NEWER
        /* What the host's record does not reach is not there. */
        uint32_t end = (uint32_t)(offsetof(ovl_book, newer_mark) + sizeof item->book.newer_mark);
        if (item->book.struct_size >= end && item->book.newer_mark == 77) row.message = (ovl_text)TEXT("marked");
#endif
        if (results->put(results->ctx, &row) != OVL_OK) return OVL_STOPPED;
    }
    return OVL_OK;
}

#ifdef NEWER
static ovl_status newer_method(ovl_instance *instance, const ovl_error_sink *error) {
    (void)instance, (void)error;
    return OVL_OK;
}
#endif

static ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
    (void)error;
    static const ovl_text id = TEXT(OVL_SERVICE_LOG);
    *instance = calloc(1, sizeof **instance);
    if (!*instance) return OVL_FAILED;
    if (host->get_service(host->ctx, &id, SIZE_UP_TO(ovl_log_service, write))) (*instance)->log = 1;
#ifdef NEWER
    if (host->get_service(host->ctx, &id, SIZE_UP_TO(ovl_log_service, newer_function))) (*instance)->log = 2;
#endif
    return OVL_OK;
}

static void destroy(ovl_instance *instance) { free(instance); }

static const ovl_text app_ids[] = {TEXT("org.example.compat")};
static const ovl_descriptor descriptor = {
    .struct_size = sizeof descriptor, .id = TEXT("compat"), .name = TEXT("Compat"), .version = TEXT("1.0.0"),
    .app_name = TEXT("Compat"), .app_ids = {app_ids, 1},
#ifdef NEWER
    .newer_text = TEXT("newer"),
#endif
};

static const ovl_methods methods = {
    .struct_size = sizeof methods, .books = books, .upload_books = upload_books,
#ifdef NEWER
    .newer_method = newer_method,
#endif
};

static const ovl_entry entry = {
    .struct_size = sizeof entry, .abi_major = OVL_ABI_MAJOR, .abi_minor = OVL_ABI_MINOR, .descriptor = &descriptor,
    .methods = &methods, .create = create, .destroy = destroy};

const ovl_entry *ovl_entry_v1(void) { return &entry; }
