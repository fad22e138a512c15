// Grants threads of a worker one by one, because limits of the kernel do not apply to root, and a limit for a user
// counts all processes of the user.
#define _GNU_SOURCE
#include "grants.h"
#include "confinement_shims.h"
#include "worker_shims.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The number of threads of a process, which is the number of subfolders in its folder of tasks; -1 if it cannot be
// determined.
static long threads_of(int process) {
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/task", process);
    return stat(path, &status) == 0 ? (long)status.st_nlink - 2 : -1;
}

// Threads that were allowed to create another one. A grant is kept until its thread has certainly used it, because
// the number of threads increases later than the answer, and other threads may ask in between.
struct cloning {
    int *threads;
    uint32_t count;
};

// Whether a thread of a process may still be in the granted call. A thread that sleeps, is stopped or has ended is
// not.
static int is_cloning(int process, int thread) {
    char path[64];
    char text[512];
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", process, thread);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return errno != ENOENT && errno != ESRCH;
    }
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    // The state follows the name, which may contain any character.
    const char *name = strrchr(text, ')');
    return name == NULL ? size > 0 : strncmp(name, ") R", 3) == 0 || strncmp(name, ") D", 3) == 0;
}

// Removes the grants that have been used, and that of a thread that asks again.
static void forget_used(struct cloning *cloning, int process, int asking) {
    uint32_t left = 0;
    for (uint32_t index = 0; index < cloning->count; index++) {
        int thread = cloning->threads[index];
        if (thread != asking && is_cloning(process, thread)) {
            cloning->threads[left++] = thread;
        }
    }
    cloning->count = left;
}

// Whether a thread may create another one. If so, the grant is recorded.
static int grant_thread(const struct grants *grants, struct cloning *cloning, int asking) {
    forget_used(cloning, grants->process, asking);
    // Count after checking the grants: a thread that is created in between is counted twice instead of not at all.
    long threads = threads_of(grants->process);
    if (threads < 0 || threads + (long)cloning->count >= (long)grants->threads) {
        return 0;
    }
    cloning->threads[cloning->count++] = asking;
    return 1;
}

// Answers one request. Returns 0, or -1 if there will be no more requests.
static int answer(int listener, const struct grants *grants, struct cloning *cloning) {
    // A later kernel may have longer records.
    union {
        struct seccomp_notif record;
        char room[512];
    } question;
    union {
        struct seccomp_notif_resp record;
        char room[512];
    } reply;
    memset(&question, 0, sizeof question);
    memset(&reply, 0, sizeof reply);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0) {
        // ENOENT: a signal interrupted the call, and the worker will ask again.
        return errno == EINTR || errno == ENOENT ? 0 : -1;
    }
    reply.record.id = question.record.id;
    if (question.record.data.nr != SYS_clone) {
        reply.record.error = grant_attributes(grants, &question.record.data);
    } else {
        if (grant_thread(grants, cloning, (int)question.record.pid)) {
            reply.record.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        } else {
            reply.record.error = -EAGAIN;
        }
    }
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply) == 0 || errno == ENOENT ? 0 : -1;
}

void shim_serve_grants(int socket, int process, const char *folder, uint32_t threads) {
    struct grants grants = {process, folder, threads};
    char byte;
    int listener = -1;
    int count = 1;
    int64_t received = shim_receive(socket, &byte, 1, &listener, &count);
    close(socket);
    if (received != 1 || count != 1) {
        return;
    }
    // There are never more grants than threads.
    struct cloning cloning = {calloc(threads, sizeof(int)), 0};
    if (cloning.threads == NULL) {
        close(listener);
        return;
    }
    struct pollfd wanted = {listener, POLLIN, 0};
    for (;;) {
        if (poll(&wanted, 1, -1) < 0) {
            if (errno == EINTR) {
                continue;
            }
            break;
        }
        // Without POLLIN, the worker has ended.
        if ((wanted.revents & POLLIN) == 0 || answer(listener, &grants, &cloning) != 0) {
            break;
        }
    }
    free(cloning.threads);
    close(listener);
}
