import OverlayTestSupport

/// An overlay in C that makes the system calls that the path of `get_file` names, and returns their results.
///
/// A question is the name of a call with its arguments: numbers, `self`, `host`, `fd:PATH` for a descriptor that
/// reads a file, and any other text; `$` at the beginning of a path is the folder for temporary files. The answer is
/// `done` or the name of an error.
enum ProbeOverlay: CompiledOverlay {
    static let source = #"""
        #define _GNU_SOURCE
        #include <errno.h>
        #include <fcntl.h>
        #include <pthread.h>
        #include <semaphore.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mman.h>
        #include <sys/prctl.h>
        #include <sys/resource.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <unistd.h>

        #include "overlay_abi.h"

        #define TEXT(s) {s, sizeof(s) - 1}
        #define CALL(name) {#name, SYS_##name}

        static const struct { const char *name; long number; } calls[] = {
            CALL(access), CALL(acct), CALL(adjtimex), CALL(bpf), CALL(capset), CALL(chdir), CALL(clock_adjtime),
            CALL(clock_settime), CALL(clone), CALL(close_range), CALL(fanotify_init), CALL(fchdir), CALL(fchmod), CALL(fchmodat), CALL(fchown), CALL(fchownat),
            CALL(fcntl), CALL(fgetxattr), CALL(fsetxattr), CALL(fsopen), CALL(getxattr), CALL(inotify_add_watch),
            CALL(inotify_init1), CALL(ioctl), CALL(ioprio_set), CALL(kexec_load), CALL(keyctl), CALL(lgetxattr),
            CALL(listxattr), CALL(lsetxattr), CALL(memfd_create), CALL(migrate_pages), CALL(mkdirat), CALL(mmap),
            CALL(mount_setattr), CALL(move_pages), CALL(mq_unlink), CALL(msgctl), CALL(msgget), CALL(msgrcv), CALL(msgsnd),
            CALL(name_to_handle_at), CALL(openat), CALL(openat2), CALL(perf_event_open), CALL(prctl), CALL(quotactl),
            CALL(quotactl_fd), CALL(readlinkat), CALL(removexattr), CALL(renameat2), CALL(sched_setaffinity),
            CALL(sched_setattr), CALL(sched_setparam), CALL(sched_setscheduler), CALL(semctl), CALL(semget), CALL(semop),
            CALL(semtimedop), CALL(setdomainname), CALL(setfsgid), CALL(setfsuid), CALL(setgid), CALL(setgroups),
            CALL(sethostname), CALL(setpriority), CALL(setregid), CALL(setresgid), CALL(setresuid), CALL(setreuid),
            CALL(setuid), CALL(setxattr), CALL(shmat), CALL(shmctl), CALL(shmdt), CALL(shmget), CALL(statfs), CALL(symlinkat), CALL(syslog),
            CALL(truncate), CALL(unlinkat), CALL(utimensat), CALL(vhangup),
        #ifdef __x86_64__
            CALL(chmod), CALL(chown), CALL(creat), CALL(inotify_init), CALL(lchown), CALL(open), CALL(readlink), CALL(stat),
            CALL(utime), CALL(utimes),
        #endif
        };

        static const char *outcome(long result) { return result < 0 ? strerrorname_np(errno) : "done"; }

        static void *wait_for_ever(void *unused) { for (;;) pause(); }

        /* The number of threads that can be started in addition. */
        static const char *take_threads(void) {
            static char text[64];
            pthread_attr_t attributes;
            pthread_attr_init(&attributes);
            pthread_attr_setstacksize(&attributes, 65536);
            int count = 0, problem = 0;
            while (count < 4096 && problem == 0) {
                pthread_t thread;
                problem = pthread_create(&thread, &attributes, wait_for_ever, NULL);
                if (problem == 0) count++;
            }
            snprintf(text, sizeof text, "%d %s", count, problem == 0 ? "done" : strerrorname_np(problem));
            return text;
        }

        static sem_t ended;
        static void *take_all(void *unused) {
            take_threads();
            sem_post(&ended);
            return wait_for_ever(NULL);
        }

        /* The number of all threads of the process after several have started as many as they can, at the same
         * time. */
        static const char *race_for_threads(int racers) {
            static char text[64];
            pthread_t thread;
            struct stat tasks;
            int begun = 0;
            sem_init(&ended, 0, 0);
            while (begun < racers && pthread_create(&thread, NULL, take_all, NULL) == 0) begun++;
            for (int i = 0; i < begun; i++) while (sem_wait(&ended) != 0);
            if (stat("/proc/self/task", &tasks) != 0) return outcome(-1);
            snprintf(text, sizeof text, "%d", (int)tasks.st_nlink - 2);
            return text;
        }

        static void *nothing(void *unused) { return NULL; }

        static const char *follow_each_other(int count) {
            for (int i = 0; i < count; i++) {
                pthread_t thread;
                int problem = pthread_create(&thread, NULL, nothing, NULL);
                if (problem != 0) return strerrorname_np(problem);
                pthread_join(thread, NULL);
            }
            return "done";
        }

        /* The MiB that can be obtained by making memory read-only after writing; at most 8 GiB. */
        static const char *take_read_only_memory(void) {
            static char text[64];
            const size_t size = 16 << 20;
            int taken = 0;
            while (taken < 8192) {
                char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                if (memory == MAP_FAILED) break;
                memset(memory, 1, 4096);
                if (mprotect(memory, size, PROT_READ) != 0) break;
                taken += 16;
            }
            snprintf(text, sizeof text, "%d %s", taken, taken < 8192 ? strerrorname_np(errno) : "done");
            return text;
        }

        static const char *raise_stack(void) {
            struct rlimit more = {1 << 30, 1 << 30};
            return outcome(setrlimit(RLIMIT_STACK, &more));
        }

        static const char *take_file(void) {
            char path[512];
            snprintf(path, sizeof path, "%s/new", getenv("TMPDIR"));
            int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_TRUNC, 0600);
            if (file < 0 || write(file, "words", 5) != 5 || ftruncate(file, 3) != 0 || fsync(file) != 0) return outcome(-1);
            void *shared = mmap(NULL, 3, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (shared == MAP_FAILED || access(path, R_OK | W_OK) != 0) return outcome(-1);
            close(file);
            return outcome(unlink(path));
        }

        static long argument(const char *word) {
            static char paths[8][512];
            static int next;
            char *end;
            long number = strtol(word, &end, 0);
            if (*end == 0 && end != word) return number;
            if (strcmp(word, "self") == 0) return getpid();
            if (strcmp(word, "host") == 0) return getppid();
            if (strncmp(word, "fd:", 3) == 0) return open((const char *)argument(word + 3), O_RDONLY);
            char *path = paths[next++ % 8];
            snprintf(path, sizeof paths[0], "%s%s", *word == '$' ? getenv("TMPDIR") : "", word + (*word == '$'));
            return (long)path;
        }

        static const char *try(char *question) {
            static char text[64];
            long arguments[6] = {0};
            char *rest = question, *name = strsep(&rest, " ");
            if (strcmp(name, "threads") == 0) return take_threads();
            if (strcmp(name, "racing-threads") == 0) return race_for_threads(atoi(rest));
            if (strcmp(name, "successive-threads") == 0) return follow_each_other(atoi(rest));
            if (strcmp(name, "read-only-memory") == 0) return take_read_only_memory();
            if (strcmp(name, "stack") == 0) return raise_stack();
            if (strcmp(name, "file") == 0) return take_file();
            if (strcmp(name, "user") == 0) {
                snprintf(text, sizeof text, "%d", (int)getuid());
                return text;
            }
            if (strcmp(name, "capabilities") == 0) {
                uint32_t header[2] = {0x20080522, 0}, sets[6];
                if (syscall(SYS_capget, header, sets) != 0) return outcome(-1);
                uint32_t any = 0;
                for (int i = 0; i < 6; i++) any |= sets[i];
                int bounding = 0;
                for (int i = 0; i < 64; i++) bounding += prctl(PR_CAPBSET_READ, i) == 1;
                snprintf(text, sizeof text, "%s %s", any ? "some" : "none", bounding ? "some" : "none");
                return text;
            }
            for (int i = 0; rest != NULL && i < 6; i++) arguments[i] = argument(strsep(&rest, " "));
            for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
                if (strcmp(calls[i].name, name) != 0) continue;
                return outcome(syscall(calls[i].number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                                       arguments[5]));
            }
            return "unknown";
        }

        static ovl_status get_file(ovl_instance *instance, const ovl_text *path, const ovl_bytes_sink *bytes,
                                   const ovl_error_sink *error) {
            char question[1024];
            snprintf(question, sizeof question, "%.*s", (int)path->size, path->data);
            const char *answer = try(question);
            ovl_bytes chunk = {(const uint8_t *)answer, strlen(answer)};
            return bytes->put(bytes->ctx, &chunk, 0, strlen(answer));
        }

        static int instances;
        static ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
            *instance = (ovl_instance *)&instances;
            return OVL_OK;
        }
        static void destroy(ovl_instance *instance) {}
        static ovl_status initialize(ovl_instance *instance, const ovl_error_sink *error) { return OVL_OK; }
        static ovl_status can_handle(ovl_instance *instance, const ovl_fingerprint *device, const ovl_presence_sink *answer,
                                     const ovl_error_sink *error) {
            ovl_presence presence = {.struct_size = sizeof presence, .answer = OVL_PRESENCE_YES};
            return answer->put(answer->ctx, &presence);
        }

        static const ovl_text app_ids[] = {TEXT("com.example.reader")};
        static const ovl_descriptor descriptor = {
            .struct_size = sizeof descriptor, .id = TEXT("probe"), .name = TEXT("Probe"), .version = TEXT("1.0.0"),
            .app_name = TEXT("Reader"), .app_ids = {app_ids, 1},
        };
        static const ovl_methods methods = {.struct_size = sizeof methods, .initialize = initialize,
                                            .can_handle = can_handle, .get_file = get_file};
        static const ovl_entry entry = {
            .struct_size = sizeof entry, .abi_major = OVL_ABI_MAJOR, .abi_minor = OVL_ABI_MINOR,
            .descriptor = &descriptor, .methods = &methods, .create = create, .destroy = destroy};
        OVL_EXPORT const ovl_entry *ovl_entry_v1(void) { return &entry; }
        """#
}
