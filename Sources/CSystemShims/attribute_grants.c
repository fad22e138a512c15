// Changes attributes of files in a worker's own folder. The worker asks the host, because a filter of system calls
// cannot determine the file. The host changes the file with its own descriptor, so that the worker cannot replace the
// file in between.
#define _GNU_SOURCE
#include "grants.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// Reads memory of a worker, as much as is readable. Returns the number of bytes, or -1.
static ssize_t read_memory(int process, uint64_t address, void *bytes, size_t size) {
    struct iovec here = {bytes, size};
    // Read two parts, because an unreadable byte ends a part, and texts are often at the end of a page.
    size_t first = 4096 - address % 4096;
    if (first > size) {
        first = size;
    }
    struct iovec there[] = {{(void *)(uintptr_t)address, first}, {(void *)(uintptr_t)(address + first), size - first}};
    return process_vm_readv(process, &here, 1, there, 2, 0);
}

// Opens a worker's path below its folder. Returns a descriptor, or the negative number of an error; EPERM for other
// paths.
static int open_path(const struct grants *grants, uint64_t address, int follows) {
    char path[PATH_MAX];
    ssize_t count = read_memory(grants->process, address, path, sizeof path);
    size_t size = strlen(grants->folder);
    if (count <= 0 || memchr(path, 0, (size_t)count) == NULL || size == 0 || strncmp(path, grants->folder, size) != 0 ||
        (path[size] != '/' && path[size] != 0)) {
        return -EPERM;
    }
    const char *below = path + size + strspn(path + size, "/");
    int folder = open(grants->folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) {
        return -EPERM;
    }
    struct open_how how = {
        .flags = (uint64_t)(O_PATH | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW)),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    int file = (int)syscall(SYS_openat2, folder, *below == 0 ? "." : below, &how, sizeof how);
    int problem = errno == ENOENT || errno == ENOTDIR ? errno : EPERM;
    close(folder);
    return file < 0 ? -problem : file;
}

// Duplicates a descriptor of a worker. Returns a descriptor, or the negative number of an error.
static int take_descriptor(int process, int descriptor) {
    int worker = (int)syscall(SYS_pidfd_open, process, 0);
    if (worker < 0) {
        return -EPERM;
    }
    int file = (int)syscall(SYS_pidfd_getfd, worker, descriptor, 0);
    int problem = errno == EBADF ? EBADF : EPERM;
    close(worker);
    return file < 0 ? -problem : file;
}

// Whether a file is in a folder, and has no other name elsewhere.
static int is_within(int file, const struct stat *status, const char *folder) {
    char link[64];
    char place[PATH_MAX];
    char real[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t count = readlink(link, place, sizeof place - 1);
    if (count < 0 || realpath(folder, real) == NULL) {
        return 0;
    }
    place[count] = 0;
    size_t size = strlen(real);
    return strncmp(place, real, size) == 0 && (place[size] == '/' || place[size] == 0) &&
           (S_ISDIR(status->st_mode) || (S_ISREG(status->st_mode) && status->st_nlink <= 1));
}

static int change_mode(int file, uint64_t mode) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    return chmod(link, (mode_t)(mode & 0777)) == 0 ? 0 : -errno;
}

// The worker may not change owners, but programs that copy files set the existing owner.
static int keep_owner(const struct stat *status, uint64_t user, uint64_t group) {
    int same = ((uid_t)user == (uid_t)-1 || (uid_t)user == status->st_uid) &&
               ((gid_t)group == (gid_t)-1 || (gid_t)group == status->st_gid);
    return same ? 0 : -EPERM;
}

static int change_times(int file, int process, uint64_t address) {
    struct timespec times[2];
    char link[64];
    if (address != 0 && read_memory(process, address, times, sizeof times) != sizeof times) {
        return -EFAULT;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    return utimensat(AT_FDCWD, link, address != 0 ? times : NULL, 0) == 0 ? 0 : -errno;
}

int grant_attributes(const struct grants *grants, const struct seccomp_data *call) {
    int file = -EPERM;
    switch (call->nr) {
    case SYS_fchmod:
    case SYS_fchown:
        file = take_descriptor(grants->process, (int)call->args[0]);
        break;
    case SYS_utimensat:
        if (call->args[1] == 0) {
            file = take_descriptor(grants->process, (int)call->args[0]);
        } else {
            file = open_path(grants, call->args[1], ((int)call->args[3] & AT_SYMLINK_NOFOLLOW) == 0);
        }
        break;
    case SYS_fchmodat:
        file = open_path(grants, call->args[1], 1);
        break;
#if defined(SYS_chmod)
    case SYS_chmod:
        file = open_path(grants, call->args[0], 1);
        break;
#endif
    default:
        break;
    }
    if (file < 0) {
        return file;
    }
    struct stat status;
    int result = -EPERM;
    if (fstat(file, &status) == 0 && is_within(file, &status, grants->folder)) {
        switch (call->nr) {
        case SYS_fchown:
            result = keep_owner(&status, call->args[1], call->args[2]);
            break;
        case SYS_utimensat:
            result = change_times(file, grants->process, call->args[2]);
            break;
        case SYS_fchmodat:
            result = change_mode(file, call->args[2]);
            break;
        default:
            result = change_mode(file, call->args[1]);
            break;
        }
    }
    close(file);
    return result;
}
