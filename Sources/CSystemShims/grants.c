// Threads of a worker are granted one by one, because no limit of the kernel counts those of root, and the one of a user counts
// all that the user runs.
#define _GNU_SOURCE
#include "grants.h"
#include "confinement_shims.h"
#include "worker_shims.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The threads of a process: each is a folder in its folder of tasks. -1 when that cannot be looked at.
static long threads_of(int process) {
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/task", process);
    return stat(path, &status) == 0 ? (long)status.st_nlink - 2 : -1;
}

// Answers one question. 0, or -1 when there is nothing to ask any more.
static int answer(int listener, const struct grants *grants) {
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
        // ENOENT: a signal came in between, and the worker asks again.
        return errno == EINTR || errno == ENOENT ? 0 : -1;
    }
    reply.record.id = question.record.id;
    if (question.record.data.nr != SYS_clone) {
        reply.record.error = grant_attributes(grants, &question.record.data);
    } else {
        long threads = threads_of(grants->process);
        if (threads >= 0 && threads < (long)grants->threads) {
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
    struct pollfd wanted = {listener, POLLIN, 0};
    for (;;) {
        if (poll(&wanted, 1, -1) < 0) {
            if (errno == EINTR) {
                continue;
            }
            break;
        }
        // Otherwise the worker has ended.
        if ((wanted.revents & POLLIN) == 0 || answer(listener, &grants) != 0) {
            break;
        }
    }
    close(listener);
}
