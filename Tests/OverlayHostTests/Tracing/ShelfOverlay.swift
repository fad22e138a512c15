import OverlayTestSupport
import Foundation
import TestSupport
import Testing

/// A small overlay in C whose macros change its behaviour, to be recorded, replayed and rebuilt.
enum ShelfOverlay {
    static let source = #"""
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>

        #include "overlay_abi.h"

        #define TEXT(s) {s, sizeof(s) - 1}
        #ifndef FOLDER
        #define FOLDER "/Documents"
        #endif
        #ifndef PREFIX
        #define PREFIX ""
        #endif
        #ifndef VERSION
        #define VERSION "1.0.0"
        #endif

        static const ovl_transport_service *transport;
        static const ovl_log_service *log_service;
        static const ovl_cancel_service *cancel;

        #ifdef CRASH_WHEN_LOADED_BESIDE
        __attribute__((constructor)) static void load(void) {
            if (access(CRASH_WHEN_LOADED_BESIDE, F_OK) != 0) return;
            fputs("no more today\n", stderr);
            abort();
        }
        #endif

        struct listing { const ovl_book_sink *books; ovl_status status; };

        static ovl_status entry_seen(void *ctx, uint64_t index, ovl_status status, const ovl_file_info *info,
                                     const ovl_error *error) {
            (void)index; (void)error;
            struct listing *listing = ctx;
            if (status != OVL_OK) return OVL_OK;
            char path[512] = FOLDER "/", title[512] = PREFIX;
            strncat(path, info->name.data, info->name.size);
            strncat(title, info->name.data, info->name.size);
            ovl_book book = {.struct_size = sizeof book, .path = {path, strlen(path)}, .title = {title, strlen(title)},
                             .flags = OVL_BOOK_HAS_SIZE, .size = info->size};
            listing->status = listing->books->put(listing->books->ctx, &book);
            return listing->status;
        }

        static ovl_status books(ovl_instance *instance, const ovl_books_options *options, const ovl_book_sink *sink,
                                const ovl_error_sink *error) {
            (void)instance; (void)options;
            ovl_text folder = TEXT(FOLDER), category = TEXT("shelf"), message = TEXT("listing");
            log_service->write(log_service->ctx, OVL_LOG_INFO, &category, &message, NULL);
        #ifdef MORE_LOGS
            log_service->write(log_service->ctx, OVL_LOG_INFO, &category, &message, NULL);
            cancel->is_cancelled(cancel->ctx);
        #endif
            if (cancel->is_cancelled(cancel->ctx)) return OVL_CANCELLED;
        #ifdef EXTRA_CALL
            uint64_t free_bytes, total;
            transport->free_space(transport->ctx, &free_bytes, &total, NULL);
        #endif
        #ifdef CRASH
            fputs("the last words\n", stderr);
            abort();
        #endif
        #ifdef HANG
            fputs("hanging\n", stderr);
            for (volatile int count = 0;;) count++;
        #endif
            struct listing listing = {sink, OVL_OK};
            ovl_file_sink files = {sizeof files, 0, &listing, entry_seen};
        #ifndef FORGET_THE_LIST
            ovl_status status = transport->list(transport->ctx, OVL_ROOT_DOCUMENTS, &folder, OVL_LIST_WITH_INFO, &files,
                                                error);
            if (status != OVL_OK) return listing.status != OVL_OK ? listing.status : status;
        #endif
            return OVL_OK;
        }

        struct copy { const ovl_bytes_sink *bytes; };
        static ovl_status piece(void *ctx, const ovl_bytes *chunk, uint64_t offset, uint64_t total) {
            struct copy *copy = ctx;
            return copy->bytes->put(copy->bytes->ctx, chunk, offset, total);
        }
        static ovl_status get_file(ovl_instance *instance, const ovl_text *path, const ovl_bytes_sink *bytes,
                                   const ovl_error_sink *error) {
            (void)instance;
            struct copy copy = {bytes};
            ovl_bytes_sink sink = {sizeof sink, 0, &copy, piece};
            return transport->read(transport->ctx, OVL_ROOT_DOCUMENTS, path, 0, OVL_UNKNOWN, &sink, error);
        }

        static const void *service(const ovl_host *host, const char *id) {
            ovl_text text = {id, strlen(id)};
            return host->get_service(host->ctx, &text, 0);
        }
        static char state;
        static ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
            (void)error;
            transport = service(host, OVL_SERVICE_TRANSPORT);
            log_service = service(host, OVL_SERVICE_LOG);
            cancel = service(host, OVL_SERVICE_CANCEL);
            *instance = (ovl_instance *)&state;
        #ifdef FAIL_TO_CREATE
            ovl_error record = {.struct_size = sizeof record, .status = OVL_FAILED, .message = TEXT("It is not my day.")};
            error->put(error->ctx, &record);
            return OVL_FAILED;
        #endif
            return OVL_OK;
        }
        static void destroy(ovl_instance *instance) { (void)instance; }

        static const ovl_text app_ids[] = {TEXT("com.example.reader")};
        static const ovl_descriptor descriptor = {
            .struct_size = sizeof descriptor, .id = TEXT("shelf"), .name = TEXT("Shelf"), .version = TEXT(VERSION),
            .app_name = TEXT("Reader"), .app_ids = {app_ids, 1}};
        static const ovl_methods methods = {.struct_size = sizeof methods, .books = books, .get_file = get_file};
        static const ovl_entry entry = {
            .struct_size = sizeof entry, .abi_major = OVL_ABI_MAJOR, .abi_minor = OVL_ABI_MINOR,
            .descriptor = &descriptor, .methods = &methods, .create = create, .destroy = destroy};
        OVL_EXPORT const ovl_entry *ovl_entry_v1(void);
        OVL_EXPORT const ovl_entry *ovl_entry_v1(void) { return &entry; }
        """#

    /// Compiles the overlay with macros such as `PREFIX="x"` into `file`, replacing it.
    static func build(_ file: String, _ macros: [String] = []) throws {
        try OverlayCompiler.compile(source, to: file, macros)
    }
}
