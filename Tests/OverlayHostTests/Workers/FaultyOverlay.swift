import OverlayTestSupport
import DeviceTransport
import Foundation
import JSON
import TestSupport
import Testing

@testable import OverlayServices
@testable import OverlayHost

/// An overlay in C that does what the first path of `delete_books` names. Its `get_file` reports what its process may
/// do.
enum FaultyOverlay: CompiledOverlay {
    static let source = #"""
        #define _GNU_SOURCE
        #include <dirent.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <pthread.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mman.h>
        #include <sys/mount.h>
        #include <sys/prctl.h>
        #include <sys/ptrace.h>
        #include <sys/resource.h>
        #include <sys/socket.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <sys/uio.h>
        #include <sys/un.h>
        #include <sys/wait.h>
        #include <linux/sched.h>
        #include <unistd.h>

        #include "overlay_abi.h"

        #define TEXT(s) {s, sizeof(s) - 1}
        extern char **environ;

        static const ovl_log_service *log_service;
        static const ovl_cancel_service *cancel_service;
        static const ovl_progress_service *progress_service;
        static const ovl_transport_service *transport_service;
        static const ovl_sniff_service *sniff_service;
        static char known[64];

        #ifdef CRASH_WHEN_LOADED
        __attribute__((constructor)) static void load(void) { abort(); }
        #endif
        #ifdef MUMBLE_WHEN_LOADED
        __attribute__((constructor)) static void load(void) {
            fprintf(stderr, "good morning\n");
            abort();
        }
        #endif
        #ifdef HANG_WHEN_LOADED
        __attribute__((constructor)) static void load(void) { for (;;) {} }
        #endif

        #ifdef OUTLIVE_WHEN_LOADED
        __attribute__((constructor)) static void load(void) {
            for (int number = 1; number < 64; number++) signal(number, SIG_IGN);
            prctl(PR_SET_PDEATHSIG, 0);
            /* Another user, if possible: the kernel then forgets that the process must end with the host. */
            setresuid(65533, 65533, 65533);
            fprintf(stderr, "%d\n", (int)getpid());
            for (;;) {}
        }
        #endif
        #ifdef CHILD_WHEN_LOADED
        __attribute__((constructor)) static void load(void) {
        #ifdef DEAF
            for (int number = 1; number < 64; number++) signal(number, SIG_IGN);
        #endif
            pid_t child = fork();
            if (child == 0) for (;;) pause();
            fprintf(stderr, "%d\n", (int)child);
        #ifdef DEAF
            for (;;) {}
        #endif
        }
        #endif

        static ovl_text view(const char *text) { return (ovl_text){text, strlen(text)}; }
        static int is(const ovl_text *text, const char *word) {
            return text->size == strlen(word) && memcmp(text->data, word, text->size) == 0;
        }
        static void say(const char *words) {
            ovl_text category = TEXT("faulty"), message = view(words);
            log_service->write(log_service->ctx, OVL_LOG_INFO, &category, &message, NULL);
        }
        static void *talk(void *unused) {
            (void)unused;
            say("from another thread");
            return NULL;
        }
        static ovl_status ignore_device(void *ctx, const ovl_device *device) { return OVL_OK; }

        static volatile int sink;
        static int recurse(int depth) {
            volatile char room[4096];
            room[0] = (char)depth;
            return recurse(depth + 1) + room[0];
        }
        static ovl_status act(const ovl_text *word, const ovl_error_sink *error) {
            if (is(word, "ask and segv")) {
                ovl_device_sink devices = {sizeof devices, 0, NULL, ignore_device};
                transport_service->device(transport_service->ctx, &devices, NULL);
                *(volatile int *)8 = 1;
            }
            if (is(word, "segv")) *(volatile int *)8 = 1;
            if (is(word, "take and segv")) {
                memset(malloc(160 << 20), 1, 160 << 20);
                *(volatile int *)8 = 1;
            }
            if (is(word, "lose a child")) {
                if (fork() == 0) {
                    memset(malloc(160 << 20), 1, 160 << 20);
                    *(volatile int *)8 = 1;
                }
                int status = 0;
                wait(&status);
                if (WTERMSIG(status) == SIGSEGV) raise(SIGKILL);
                exit(4);
            }
            if (is(word, "recurse")) return recurse(0);
            if (is(word, "trap")) __builtin_trap();
            if (is(word, "abort")) {
                fputs("the last words", stderr);
                abort();
            }
            if (is(word, "exit")) exit(3);
            if (is(word, "loop")) for (;;) sink++;
            if (is(word, "report and loop")) {
                ovl_text phase = TEXT("computing");
                progress_service->report(progress_service->ctx, 0, 1, &phase);
                for (;;) sink++;
            }
            if (is(word, "complain")) {
                ovl_error record = {sizeof record, 0, OVL_FAILED, 0, 0, view("passwd: Permission denied"), {0}, {0}};
                error->put(error->ctx, &record);
                return OVL_FAILED;
            }
            if (is(word, "complain and abort")) {
                if (open("/etc/passwd", O_RDONLY) < 0) perror("passwd");
                else fprintf(stderr, "passwd: Permission denied\n");
                abort();
            }
            if (is(word, "mumble")) {
                fprintf(stderr, "first line\n\x1B[31msecond");
                printf("aside\n");
                fflush(stdout);
            }
            if (is(word, "memory")) for (;;) {
                char *more = malloc(1 << 20);
                if (more == NULL) abort();
                memset(more, 1, 1 << 20);
            }
            if (is(word, "flood")) {
                static char page[65536];
                memset(page, 'x', sizeof page);
                for (int i = 0; i < 256; i++) {
                    fwrite(page, 1, sizeof page, stdout);
                    fwrite(page, 1, sizeof page, stderr);
                }
                fflush(stdout);
            }
            if (is(word, "garbage")) {
                char junk[256];
                memset(junk, 0x5A, sizeof junk);
                write(3, junk, sizeof junk);
                for (;;) pause();
            }
            if (is(word, "garbage aside")) {
                char junk[256];
                memset(junk, 0x5A, sizeof junk);
                write(4, junk, sizeof junk);
                for (;;) pause();
            }
            if (is(word, "half a message")) {
                uint64_t header[5] = {0x4C564F01ull | 2ull << 32, 64, 0, 0, 0};
                write(3, header, 20);
                for (;;) pause();
            }
            if (is(word, "oversized")) {
                uint64_t header[5] = {0x4C564F01ull | 2ull << 32, 1ull << 40, 0, 0, 0};
                write(3, header, sizeof header);
                for (;;) pause();
            }
            if (is(word, "hang up")) {
                close(3);
                for (;;) pause();
            }
            if (is(word, "wait for cancel")) {
                ovl_text phase = TEXT("waiting");
                progress_service->report(progress_service->ctx, 0, 1, &phase);
                while (cancel_service->is_cancelled(cancel_service->ctx) == 0) sched_yield();
                ovl_error record = {sizeof record, 0, OVL_CANCELLED, 0, 0, view("It was cancelled."), {0}, {0}};
                error->put(error->ctx, &record);
                return OVL_CANCELLED;
            }
            if (is(word, "ignore cancel")) {
                ovl_text phase = TEXT("waiting");
                progress_service->report(progress_service->ctx, 0, 1, &phase);
                for (;;) pause();
            }
            if (is(word, "thread")) {
                pthread_t thread;
                if (pthread_create(&thread, NULL, talk, NULL) != 0) return OVL_FAILED;
                pthread_join(thread, NULL);
            }
            return OVL_OK;
        }

        static ovl_status delete_books(ovl_instance *instance, const ovl_texts *paths, const ovl_result_sink *results,
                                       const ovl_error_sink *error) {
            for (uint64_t index = 0; index < paths->count; index++) {
                ovl_status status = act(&paths->items[index], error);
                if (status != OVL_OK) return status;
                ovl_item_result row = {.struct_size = sizeof row, .index = index, .outcome = OVL_OUTCOME_DELETED,
                                       .path = paths->items[index]};
                if (results->put(results->ctx, &row) != OVL_OK) return OVL_STOPPED;
            }
            return OVL_OK;
        }

        static const char *outcome(long result) { return result < 0 ? strerrorname_np(errno) : "done"; }

        static const char *try(const char *what) {
            static char text[4096];
            if (strcmp(what, "socket") == 0) return outcome(socket(AF_INET, SOCK_STREAM, 0));
            if (strcmp(what, "unix socket") == 0) return outcome(socket(AF_UNIX, SOCK_STREAM, 0));
            if (strcmp(what, "exec") == 0) {
                char *words[] = {"/bin/true", NULL};
                return outcome(execv(words[0], words));
            }
            if (strcmp(what, "fork") == 0) {
                pid_t child = fork();
                if (child == 0) _exit(0);
                return outcome(child);
            }
            if (strcmp(what, "vfork") == 0) {
                pid_t child = (pid_t)syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
                if (child == 0) _exit(0);
                return outcome(child);
            }
            if (strcmp(what, "clone3") == 0) return outcome(syscall(SYS_clone3, NULL, 0));
            if (strcmp(what, "exec memory") == 0) {
                int file = memfd_create("program", 0);
                if (file < 0) return outcome(file);
                write(file, "#!/bin/true", 11);
                char *words[] = {"program", NULL};
                return outcome(fexecve(file, words, environ));
            }
            if (strcmp(what, "connect") == 0) {
                struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "/run/systemd/private"};
                return outcome(connect(3, (struct sockaddr *)&name, sizeof name));
            }
            if (strcmp(what, "socketpair") == 0) {
                int pair[2];
                return outcome(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
            }
            if (strcmp(what, "ring") == 0) return outcome(syscall(425, 8, NULL));
            if (strcmp(what, "ptrace") == 0) return outcome(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
            if (strcmp(what, "ptrace the host") == 0) return outcome(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
            if (strcmp(what, "memory of the host") == 0) {
                struct iovec here = {text, 8}, there = {(void *)&environ, 8};
                return outcome(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
            }
            if (strcmp(what, "descriptors of the host") == 0) return outcome(syscall(438, 0, 0, 0));
            if (strcmp(what, "kill the host") == 0) return outcome(kill(getppid(), 0));
            if (strcmp(what, "kill all") == 0) return outcome(kill(-1, 0));
            if (strcmp(what, "kill the group") == 0) return outcome(kill(0, 0));
            if (strcmp(what, "queue a signal") == 0) return outcome(sigqueue(getppid(), SIGTERM, (union sigval){0}));
            if (strcmp(what, "kill itself") == 0) return outcome(kill(getpid(), 0));
            if (strcmp(what, "limits of the host") == 0) {
                struct rlimit limit;
                return outcome(prlimit(getppid(), RLIMIT_CPU, NULL, &limit));
            }
            if (strcmp(what, "more memory") == 0) {
                struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
                return outcome(setrlimit(RLIMIT_DATA, &limit));
            }
            if (strcmp(what, "namespace") == 0) return outcome(syscall(SYS_unshare, 0x10000000));
            if (strcmp(what, "mount") == 0) return outcome(mount("none", "/tmp", "tmpfs", 0, NULL));
            if (strcmp(what, "chroot") == 0) return outcome(chroot("/"));
            if (strcmp(what, "seccomp off") == 0) return prctl(PR_GET_SECCOMP) == 2 ? "never" : "off";
            if (strcmp(what, "shared memory") == 0) return outcome(syscall(SYS_shmget, 7, 4096, 01600));
            if (strcmp(what, "new session") == 0) return outcome(setsid());
            if (strcmp(what, "leave the group") == 0) return outcome(setpgid(0, 0));
            if (strcmp(what, "outlive the host") == 0) return outcome(prctl(PR_SET_PDEATHSIG, 0));
            if (strcmp(what, "new privileges") == 0) return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? "never" : "allowed";
            if (strncmp(what, "list ", 5) == 0) return outcome(open(what + 5, O_RDONLY | O_DIRECTORY));
            if (strncmp(what, "change ", 7) == 0) return outcome(open(what + 7, O_WRONLY));
            if (strncmp(what, "remove ", 7) == 0) return outcome(unlink(what + 7));
            if (strncmp(what, "link ", 5) == 0) {
                snprintf(text, sizeof text, "%s/alias", getenv("TMPDIR"));
                if (symlink(what + 5, text) != 0) return outcome(-1);
                return outcome(open(text, O_RDONLY));
            }
            if (strncmp(what, "steal ", 6) == 0) {
                snprintf(text, sizeof text, "%s/stolen", getenv("TMPDIR"));
                return outcome(rename(what + 6, text));
            }
            if (strcmp(what, "unknown children") == 0) {
                return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD ? "none" : "some";
            }
            if (strcmp(what, "stay") == 0) {
                pid_t child = fork();
                if (child == 0) for (;;) pause();
                snprintf(text, sizeof text, "%d", (int)child);
                return text;
            }
            if (strncmp(what, "read ", 5) == 0) return outcome(open(what + 5, O_RDONLY));
            if (strncmp(what, "write ", 6) == 0) return outcome(open(what + 6, O_WRONLY | O_CREAT, 0600));
            if (strcmp(what, "scratch") == 0) {
                snprintf(text, sizeof text, "%s/note", getenv("TMPDIR"));
                return outcome(open(text, O_RDWR | O_CREAT, 0600));
            }
            if (strcmp(what, "what is known") == 0) return known;
            if (strcmp(what, "where is scratch") == 0) return getenv("TMPDIR");
            if (strcmp(what, "process") == 0) {
                snprintf(text, sizeof text, "%d", (int)getpid());
                return text;
            }
            if (strcmp(what, "descriptors") == 0) {
                text[0] = 0;
                for (int i = 0; i < 256; i++) {
                    if (fcntl(i, F_GETFD) >= 0) snprintf(text + strlen(text), 16, "%d ", i);
                }
                return text;
            }
            if (strcmp(what, "environment") == 0) {
                text[0] = 0;
                for (char **entry = environ; *entry != NULL; entry++) {
                    char *end = strchr(*entry, '=');
                    snprintf(text + strlen(text), sizeof text - strlen(text), "%.*s ", (int)(end - *entry), *entry);
                }
                return text;
            }
            return "?";
        }

        static ovl_status get_file(ovl_instance *instance, const ovl_text *path, const ovl_bytes_sink *bytes,
                                   const ovl_error_sink *error) {
            char what[512];
            snprintf(what, sizeof what, "%.*s", (int)path->size, path->data);
            if (strncmp(what, "size ", 5) == 0) {
                uint64_t size = strtoull(what + 5, NULL, 10);
                char *content = malloc(size);
                for (uint64_t i = 0; i < size; i++) content[i] = (char)(i * 31);
                ovl_bytes chunk = {(const uint8_t *)content, size};
                ovl_status status = bytes->put(bytes->ctx, &chunk, 0, size);
                free(content);
                return status;
            }
            const char *answer = try(what);
            ovl_bytes chunk = {(const uint8_t *)answer, strlen(answer)};
            return bytes->put(bytes->ctx, &chunk, 0, strlen(answer));
        }

        static ovl_status books(ovl_instance *instance, const ovl_books_options *options, const ovl_book_sink *books,
                                const ovl_error_sink *error) {
            for (int i = 0; i < 20000; i++) {
                char path[64], title[64];
                snprintf(path, sizeof path, "/books/%d.epub", i);
                snprintf(title, sizeof title, "Title %d", i);
                ovl_text authors[] = {TEXT("An Author"), TEXT("Another")};
                ovl_book book = {.struct_size = sizeof book, .path = view(path), .title = view(title),
                                 .authors = {authors, 2}, .flags = OVL_BOOK_HAS_SIZE, .size = (uint64_t)i};
                if (books->put(books->ctx, &book) != OVL_OK) return OVL_STOPPED;
            }
            return OVL_OK;
        }

        static const void *service(const ovl_host *host, const char *id) {
            ovl_text text = view(id);
            return host->get_service(host->ctx, &text, 0);
        }
        static int instances;
        static ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
            log_service = service(host, OVL_SERVICE_LOG);
            cancel_service = service(host, OVL_SERVICE_CANCEL);
            progress_service = service(host, OVL_SERVICE_PROGRESS);
            transport_service = service(host, OVL_SERVICE_TRANSPORT);
            sniff_service = service(host, OVL_SERVICE_SNIFF);
            if (service(host, "org.overlayhost.log/1x") != NULL) return OVL_FAILED;
            instances++;
            *instance = (ovl_instance *)&instances;
            return OVL_OK;
        }
        static void destroy(ovl_instance *instance) {}

        static char known[64] = "nothing";
        static ovl_status can_handle(ovl_instance *instance, const ovl_fingerprint *device, const ovl_presence_sink *answer,
                                     const ovl_error_sink *error) {
            snprintf(known, sizeof known, "%.*s", (int)device->serial.size, device->serial.data);
            ovl_presence presence = {.struct_size = sizeof presence, .answer = OVL_PRESENCE_YES};
            return answer->put(answer->ctx, &presence);
        }

        static int initialized;
        static ovl_status initialize(ovl_instance *instance, const ovl_error_sink *error) {
            initialized++;
            say("initialized");
            ovl_sniff_rule rule = {.struct_size = sizeof rule, .kind = OVL_RULE_MAGIC, .bytes = {(const uint8_t *)"FAULTY", 6}};
            ovl_text extensions[] = {TEXT("faulty")};
            ovl_sniffer sniffer = {.struct_size = sizeof sniffer, .media_type = TEXT("application/x-faulty"), .name = TEXT("Faulty"), .extension = TEXT("faulty"),
                                   .extensions = {extensions, 1}, .rules = {&rule, 1, sizeof rule}};
            return sniff_service->register_sniffer(sniff_service->ctx, &sniffer, error);
        }

        static const ovl_text app_ids[] = {TEXT("com.example.reader")};
        #ifdef LIMITED
        static const ovl_time_limit limits[] = {{sizeof limits[0], 0, TEXT(LIMITED), TOTAL, SILENCE}};
        #endif
        static const ovl_descriptor descriptor = {
            .struct_size = sizeof descriptor, .id = TEXT("faulty"), .name = TEXT("Faulty"), .version = TEXT("1.0.0"),
            .app_name = TEXT("Reader"), .app_ids = {app_ids, 1}, .help = TEXT("Breaks in every way."),
        #ifdef LIMITED
            .time_limits = {limits, 1, sizeof limits[0]},
        #endif
        };
        static ovl_status shut_down(ovl_instance *instance, const ovl_error_sink *error) {
        #ifdef HANG_IN_SHUTDOWN
            for (;;) sink++;
        #endif
            return OVL_OK;
        }
        static const ovl_methods methods = {.struct_size = sizeof methods, .initialize = initialize, .can_handle = can_handle, .shutdown = shut_down, .books = books,
                                            .delete_books = delete_books, .get_file = get_file};
        static const ovl_entry entry = {
            .struct_size = sizeof entry, .abi_major = OVL_ABI_MAJOR, .abi_minor = OVL_ABI_MINOR,
            .descriptor = &descriptor, .methods = &methods, .create = create, .destroy = destroy};
        OVL_EXPORT const ovl_entry *ovl_entry_v1(void) { return &entry; }
        """#

    /// The program of the workers: the command line program that was built with the tests.
    static func program() throws -> String {
        try buildProductsFolder().appendingPathComponent("overlayhost").path
    }
}

/// An overlay in a worker, with a fake device.
final class WorkerWorld {
    let world: PluginWorld
    let environment: FakeEnvironment
    let overlay: LoadedOverlay

    init(
        _ macros: [String] = [],
        of kind: any CompiledOverlay.Type = FaultyOverlay.self,
        _ change: (inout WorkerOptions) -> Void = { _ in }
    ) throws {
        // The folders of workers are removed when these have ended, which may be after the test.
        world = try PluginWorld(environment: ["TMPDIR": FileManager.default.temporaryDirectory.path])
        environment = try FakeEnvironment()
        try kind.build(world.file("faulty.so"), macros)
        var options = WorkerOptions(program: try FaultyOverlay.program())
        change(&options)
        overlay = try OverlayDiscovery(paths: world.paths, isolation: .worker(options)).load(
            world.file("faulty.so"))
    }

    /// An instance that serves the device.
    func attached(_ preferences: [String: JSONValue] = [:]) throws -> OverlayInstance {
        let instance = try environment.instance(preferences, of: overlay)
        try instance.create()
        try instance.call(.initialize)
        try instance.note(.attached)
        return instance
    }
}

extension OverlayInstance {
    /// The answer of the overlay's process to a question.
    func ask(_ question: String) throws -> String {
        let bytes = CollectedBytes()
        _ = try getFile(question) { bytes.add($0) }
        return String(decoding: bytes.all, as: UTF8.self)
    }
}

/// Bytes in the order in which they arrived.
final class CollectedBytes {
    private(set) var all: [UInt8] = []
    func add(_ chunk: UnsafeRawBufferPointer) { all += chunk }
}
