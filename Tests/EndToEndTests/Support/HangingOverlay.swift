import Foundation
import TestSupport
import Testing

/// A small overlay in C for Marvin. Its `books` writes to standard error when it has begun. Built with `HANG` it
/// never returns; with `HANG_INITIALIZING` or `HANG_CREATING` its `initialize` or `create` never returns; with
/// `HANG_SHUTTING_DOWN` its `books` waits for a cancellation, and its `shutdown` hangs.
enum HangingOverlay {
    private static let source = #"""
        #include <stdio.h>

        #include "overlay_abi.h"

        #define TEXT(s) {s, sizeof(s) - 1}

        static const ovl_cancel_service *cancel;

        static ovl_status books(ovl_instance *instance, const ovl_books_options *options, const ovl_book_sink *sink,
                                const ovl_error_sink *error) {
            (void)instance; (void)options; (void)error;
            fputs("books has begun\n", stderr);
        #ifdef CRASH
            *(volatile int *)8 = 1;
        #endif
        #ifdef HANG_SHUTTING_DOWN
            while (!cancel->is_cancelled(cancel->ctx)) {}
            return OVL_CANCELLED;
        #endif
        #ifdef HANG
            for (volatile int count = 0;; count++) {}
        #endif
            ovl_book book = {.struct_size = sizeof book, .path = TEXT("/a"), .title = TEXT("A Book")};
            return sink->put(sink->ctx, &book);
        }

        #ifdef HANG_INITIALIZING
        static ovl_status initialize(ovl_instance *instance, const ovl_error_sink *error) {
            (void)instance; (void)error;
            fputs("initialize has begun\n", stderr);
            for (volatile int count = 0;; count++) {}
        }
        #endif

        #ifdef HANG_SHUTTING_DOWN
        static ovl_status shut_down(ovl_instance *instance, const ovl_error_sink *error) {
            (void)instance; (void)error;
            fputs("shutdown has begun\n", stderr);
            for (volatile int count = 0;; count++) {}
        }
        #endif

        static char state;
        static ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
            (void)error;
            ovl_text id = TEXT(OVL_SERVICE_CANCEL);
            cancel = host->get_service(host->ctx, &id, 0);
        #ifdef HANG_CREATING
            fputs("create has begun\n", stderr);
            for (volatile int count = 0;; count++) {}
        #endif
            *instance = (ovl_instance *)&state;
            return OVL_OK;
        }
        static void destroy(ovl_instance *instance) { (void)instance; }

        static const ovl_text app_ids[] = {TEXT("com.appstafarian.MarvinIP")};
        static const ovl_descriptor descriptor = {
            .struct_size = sizeof descriptor, .id = TEXT("hanging"), .name = TEXT("Hanging"), .version = TEXT("1.0.0"),
            .app_name = TEXT("Marvin"), .app_ids = {app_ids, 1}};
        static const ovl_methods methods = {
            .struct_size = sizeof methods, .books = books,
        #ifdef HANG_INITIALIZING
            .initialize = initialize,
        #endif
        #ifdef HANG_SHUTTING_DOWN
            .shutdown = shut_down,
        #endif
        };
        static const ovl_entry entry = {
            .struct_size = sizeof entry, .abi_major = OVL_ABI_MAJOR, .abi_minor = OVL_ABI_MINOR,
            .descriptor = &descriptor, .methods = &methods, .create = create, .destroy = destroy};
        OVL_EXPORT const ovl_entry *ovl_entry_v1(void);
        OVL_EXPORT const ovl_entry *ovl_entry_v1(void) { return &entry; }
        """#

    /// Compiles the library with macros such as `HANG` in a folder of the test.
    static func build(_ folder: TemporaryFolder, _ macros: [String] = []) throws -> Data {
        let include = URL(fileURLWithPath: #filePath).appendingPathComponent(
            "../../../../Sources/OverlayABI/include")
        let (code, library) = (folder.path("hanging.c"), folder.path("hanging.so"))
        try Data(source.utf8).write(to: URL(fileURLWithPath: code))
        let result = try runProgram(
            "cc",
            ["-std=c11", "-fPIC", "-shared", "-w", "-I", include.standardized.path, "-o", library, code]
                + macros.map { "-D" + $0 })
        try #require(result.status == 0, "\(result.errors)")
        return try Data(contentsOf: URL(fileURLWithPath: library))
    }
}
