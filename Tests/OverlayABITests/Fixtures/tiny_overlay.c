/* The smallest overlay: two books, no device. */
#include "overlay_abi.h"
#include <stddef.h>

#define VIEW(text) {text, sizeof text - 1}

struct ovl_instance {
    uint64_t books;
};

static struct ovl_instance only = {2};

static ovl_status books(ovl_instance *instance, const ovl_books_options *options, const ovl_book_sink *sink,
                        const ovl_error_sink *error) {
    (void)error;
    static const ovl_text paths[] = {VIEW("trial.epub"), VIEW("metamorphosis.epub")};
    static const ovl_text titles[] = {VIEW("Der Prozeß"), VIEW("変身")};
    for (uint64_t i = 0; i < instance->books && options->volume == OVL_VOLUME_MAIN; i++) {
        ovl_book book = {.struct_size = sizeof book, .path = paths[i], .title = titles[i]};
        if (sink->put(sink->ctx, &book) != OVL_OK) return OVL_STOPPED;
    }
    return OVL_OK;
}

static ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
    (void)host, (void)error;
    *instance = &only;
    return OVL_OK;
}

static void destroy(ovl_instance *instance) { (void)instance; }

static const ovl_text app_ids[] = {VIEW("com.example.tiny")};
static const ovl_descriptor descriptor = {
    .struct_size = sizeof descriptor, .id = VIEW("tiny"), .name = VIEW("Tiny"), .version = VIEW("0.1.0"),
    .app_name = VIEW("Tiny"), .app_ids = {app_ids, 1}};
static const ovl_methods methods = {.struct_size = sizeof methods, .books = books};
static const ovl_entry entry = {
    .struct_size = sizeof entry, .abi_major = OVL_ABI_MAJOR, .abi_minor = OVL_ABI_MINOR, .descriptor = &descriptor,
    .methods = &methods, .create = create, .destroy = destroy};

const ovl_entry *ovl_entry_v1(void) { return &entry; }
