import OverlayTestSupport
import Foundation
import TestSupport

@testable import OverlayHost

/// An overlay in C that abuses its connection to the host, its folder, or web access, as its macros and the paths of
/// `delete_books` say.
enum HostileOverlay: CompiledOverlay {
    static let source = #"""
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <pthread.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <time.h>
        #include <unistd.h>

        #include "overlay_abi.h"

        #define TEXT(s) {s, sizeof(s) - 1}

        // The descriptors of a worker's connections.
        enum { main_connection = 3, side_connection = 4 };

        static const ovl_progress_service *progress;
        static const ovl_fetch_service *fetch;

        static int is(const ovl_text *text, const char *word) {
            return text->size == strlen(word) && memcmp(text->data, word, text->size) == 0;
        }

        // Half a header on the connection of the threads, one byte every half second.
        static void *drip(void *unused) {
            (void)unused;
            static const char header[20];
            struct timespec pause = {0, 500000000};
            for (size_t index = 0; index < sizeof header; index++) {
                if (write(side_connection, header + index, 1) != 1) break;
                nanosleep(&pause, NULL);
            }
            return NULL;
        }
        static void drip_to_the_end(void) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, drip, NULL) != 0) abort();
            pthread_join(thread, NULL);
        }
        #ifdef DRIP_WHEN_LOADED
        __attribute__((constructor)) static void load(void) { drip_to_the_end(); }
        #endif

        // Messages without a body, of a kind and for a question of the host.
        static void answer(uint32_t kind, uint64_t question, int times) {
            uint64_t message[5] = {0x4C564F01u | (uint64_t)kind << 32, 0, 0, 0, question};
            for (int count = 0; count < times; count++) {
                if (write(main_connection, message, sizeof message) != sizeof message) abort();
            }
        }

        // Folders that even their owner may not list, as far as modes can be changed, with more levels than a path
        // can name.
        static int make_folder(int in, const char *name) {
            int made = mkdirat(in, name, 0700) == 0 ? openat(in, name, O_RDONLY | O_DIRECTORY) : -1;
            if (made < 0) abort();
            return made;
        }
        static void fill_scratch(void) {
            int folder = open(getenv("TMPDIR"), O_RDONLY | O_DIRECTORY);
            if (folder < 0 || mkdirat(folder, "empty", 0) != 0) abort();
            int closed = make_folder(folder, "closed");
            int inner = make_folder(closed, "inner");
            if (fchmod(make_folder(inner, "most"), 0) != 0 || fchmod(inner, 0) != 0 || fchmod(closed, 0) != 0) abort();
            char name[200];
            memset(name, 'd', sizeof name - 1);
            name[sizeof name - 1] = 0;
            int deepest = folder;
            for (int level = 0; level < 60; level++) deepest = make_folder(deepest, name);
            if (fchmod(folder, 0) != 0) abort();
        }
        #ifdef FILL_WHEN_LOADED
        __attribute__((constructor)) static void load(void) { fill_scratch(); }
        #endif

        static ovl_status ignore_bytes(void *ctx, const ovl_bytes *chunk, uint64_t offset, uint64_t total) {
            return OVL_OK;
        }
        static ovl_status ask_server(ovl_text url, const ovl_error_sink *error) {
            ovl_source source = {.struct_size = sizeof source, .kind = OVL_SOURCE_URL, .path = url};
            ovl_bytes_sink sink = {sizeof sink, 0, NULL, ignore_bytes};
            return fetch->read(fetch->ctx, &source, NULL, 0, OVL_UNKNOWN, &sink, error);
        }

        static ovl_status act(const ovl_text *word, const ovl_error_sink *error) {
            unsigned long question;
            if (is(word, "drip")) {
                ovl_text phase = TEXT("dripping");
                progress->report(progress->ctx, 0, 1, &phase);
                drip_to_the_end();
            }
            if (word->size > 4 && memcmp(word->data, "http", 4) == 0) return ask_server(*word, error);
            if (sscanf(word->data, "answer %lu wrongly", &question) == 1) answer(5, question, 1000);
            return OVL_OK;
        }

        static ovl_status delete_books(ovl_instance *instance, const ovl_texts *paths, const ovl_result_sink *results,
                                       const ovl_error_sink *error) {
            (void)instance;
            for (uint64_t index = 0; index < paths->count; index++) {
                ovl_status status = act(&paths->items[index], error);
                if (status != OVL_OK) return status;
                ovl_item_result row = {.struct_size = sizeof row, .index = index, .outcome = OVL_OUTCOME_DELETED,
                                       .path = paths->items[index]};
                if (results->put(results->ctx, &row) != OVL_OK) return OVL_STOPPED;
            }
            return OVL_OK;
        }

        static int state;
        static ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
            (void)error;
            ovl_text progress_id = TEXT(OVL_SERVICE_PROGRESS), fetch_id = TEXT(OVL_SERVICE_FETCH);
            progress = host->get_service(host->ctx, &progress_id, 0);
            fetch = host->get_service(host->ctx, &fetch_id, 0);
            *instance = (ovl_instance *)&state;
            return progress == NULL || fetch == NULL ? OVL_FAILED : OVL_OK;
        }
        static void destroy(ovl_instance *instance) { (void)instance; }

        static const ovl_text app_ids[] = {TEXT("com.example.reader")};
        #ifdef LIMITED
        static const ovl_time_limit limits[] = {{sizeof limits[0], 0, TEXT(LIMITED), TOTAL, SILENCE}};
        #endif
        #ifndef TRAITS
        #define TRAITS 0
        #endif
        static const ovl_descriptor descriptor = {
            .struct_size = sizeof descriptor, .flags = TRAITS, .id = TEXT("hostile"), .name = TEXT("Hostile"), .version = TEXT("1.0.0"),
            .app_name = TEXT("Reader"), .app_ids = {app_ids, 1},
        #ifdef LIMITED
            .time_limits = {limits, 1, sizeof limits[0]},
        #endif
        };
        static const ovl_methods methods = {
            .struct_size = sizeof methods, .delete_books = delete_books};
        static const ovl_entry entry = {
            .struct_size = sizeof entry, .abi_major = OVL_ABI_MAJOR, .abi_minor = OVL_ABI_MINOR,
            .descriptor = &descriptor, .methods = &methods, .create = create, .destroy = destroy};
        OVL_EXPORT const ovl_entry *ovl_entry_v1(void) { return &entry; }
        """#
}
