import Foundation
import OverlayTestSupport
import TestSupport
import Testing

/// Kills a program at one of its file operations: before the operation, or in the middle of a write.
struct FileOperationCut {
    private static let source = #"""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <signal.h>
        #include <stdarg.h>
        #include <stdatomic.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <sys/stat.h>
        #include <sys/types.h>
        #include <unistd.h>

        #define PUBLIC __attribute__((visibility("default")))
        #define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

        /* The count is in a file, so that the test can read it however the program ended. */
        static atomic_long *count;
        static long last;

        __attribute__((constructor)) static void begin(void) {
            const char *file = getenv("OPERATIONS"), *number = getenv("LAST_OPERATION");
            int descriptor = file ? open(file, O_RDWR) : -1;
            if (descriptor >= 0) {
                void *memory = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
                if (memory != MAP_FAILED) count = memory;
            }
            last = number ? atol(number) : 0;
            /* The program's own children continue. */
            unsetenv("LD_PRELOAD");
            unsetenv("OPERATIONS");
            unsetenv("LAST_OPERATION");
        }

        static int is_last(void) { return count && atomic_fetch_add(count, 1) + 1 == last; }
        static void step(void) { if (is_last()) kill(getpid(), SIGKILL); }
        static int is_file(int descriptor) {
            struct stat status;
            return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 0;
        }

        PUBLIC ssize_t write(int descriptor, const void *bytes, size_t size) {
            if (is_file(descriptor) && is_last()) {
                NEXT(write)(descriptor, bytes, size / 2);
                kill(getpid(), SIGKILL);
            }
            return NEXT(write)(descriptor, bytes, size);
        }
        PUBLIC ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t place) {
            if (is_file(descriptor) && is_last()) {
                NEXT(pwrite)(descriptor, bytes, size / 2, place);
                kill(getpid(), SIGKILL);
            }
            return NEXT(pwrite)(descriptor, bytes, size, place);
        }
        PUBLIC int open(const char *path, int flags, ...) {
            va_list rest;
            va_start(rest, flags);
            mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
            va_end(rest);
            if (flags & (O_CREAT | O_TRUNC)) step();
            return NEXT(open)(path, flags, mode);
        }
        PUBLIC int openat(int folder, const char *path, int flags, ...) {
            va_list rest;
            va_start(rest, flags);
            mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
            va_end(rest);
            if (flags & (O_CREAT | O_TRUNC)) step();
            return NEXT(openat)(folder, path, flags, mode);
        }
        PUBLIC int ftruncate(int descriptor, off_t size) {
            if (is_file(descriptor)) step();
            return NEXT(ftruncate)(descriptor, size);
        }
        PUBLIC int fsync(int descriptor) { step(); return NEXT(fsync)(descriptor); }
        PUBLIC int fdatasync(int descriptor) { step(); return NEXT(fdatasync)(descriptor); }
        PUBLIC int futimens(int descriptor, const struct timespec times[2]) { step(); return NEXT(futimens)(descriptor, times); }
        PUBLIC int mkdir(const char *path, mode_t mode) { step(); return NEXT(mkdir)(path, mode); }
        PUBLIC int mkdirat(int folder, const char *path, mode_t mode) { step(); return NEXT(mkdirat)(folder, path, mode); }
        PUBLIC int rename(const char *from, const char *to) { step(); return NEXT(rename)(from, to); }
        PUBLIC int renameat(int folder, const char *from, int other, const char *to) {
            step();
            return NEXT(renameat)(folder, from, other, to);
        }
        PUBLIC int linkat(int folder, const char *from, int other, const char *to, int flags) {
            step();
            return NEXT(linkat)(folder, from, other, to, flags);
        }
        PUBLIC int unlink(const char *path) { step(); return NEXT(unlink)(path); }
        PUBLIC int unlinkat(int folder, const char *path, int flags) { step(); return NEXT(unlinkat)(folder, path, flags); }
        PUBLIC int rmdir(const char *path) { step(); return NEXT(rmdir)(path); }
        """#

    private let library: String
    private let operations: String

    /// Compiles the library that counts the operations.
    init(in folder: TemporaryFolder) throws {
        library = folder.path("operations.so")
        operations = folder.path("operations")
        try OverlayCompiler.compile(
            Self.source, to: library, standard: "gnu11", flags: ["-shared", "-Wl,--no-as-needed", "-ldl"])
    }

    /// Environment variables that kill a program at the operation with this number; 0 only counts.
    func environment(last number: Int) throws -> [String: String?] {
        try Data(count: 8).write(to: URL(fileURLWithPath: operations))
        return ["LD_PRELOAD": library, "OPERATIONS": operations, "LAST_OPERATION": "\(number)"]
    }

    /// The number of operations that the last program began.
    func count() throws -> Int {
        try Data(contentsOf: URL(fileURLWithPath: operations)).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
