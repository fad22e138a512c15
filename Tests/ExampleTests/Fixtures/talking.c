/* An overlay for Marvin whose `books` says on standard error that it has begun. */
#include <stdio.h>

#include "overlay_abi.h"

#define TEXT(s) {s, sizeof(s) - 1}

static ovl_status books(ovl_instance *instance, const ovl_books_options *options, const ovl_book_sink *sink,
                        const ovl_error_sink *error) {
    (void)instance, (void)options, (void)sink, (void)error;
    fputs("books has begun\n", stderr);
    return OVL_OK;
}

static char state;
static ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
    (void)host, (void)error;
    *instance = (ovl_instance *)&state;
    return OVL_OK;
}
static void destroy(ovl_instance *instance) { (void)instance; }

static const ovl_text app_ids[] = {TEXT("com.appstafarian.MarvinIP")};
static const ovl_descriptor descriptor = {
    .struct_size = sizeof descriptor, .id = TEXT("talking"), .name = TEXT("Talking"), .version = TEXT("1.0.0"),
    .app_name = TEXT("Marvin"), .app_ids = {app_ids, 1}};
static const ovl_methods methods = {.struct_size = sizeof methods, .books = books};
static const ovl_entry entry = {
    .struct_size = sizeof entry, .abi_major = OVL_ABI_MAJOR, .abi_minor = OVL_ABI_MINOR,
    .descriptor = &descriptor, .methods = &methods, .create = create, .destroy = destroy};
OVL_EXPORT const ovl_entry *ovl_entry_v1(void);
OVL_EXPORT const ovl_entry *ovl_entry_v1(void) { return &entry; }
