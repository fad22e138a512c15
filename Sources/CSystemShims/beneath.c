#define _GNU_SOURCE
#include "CSystemShims.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int shim_open_beneath(int folder, const char *path, uint64_t flags) {
    struct open_how how = {.flags = flags, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

int shim_open_own_folder(int folder, const char *name) {
    int place = openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (place < 0) {
        return -1;
    }
    struct stat status;
    if (fstat(place, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & S_IRWXU) != S_IRWXU) {
        // Use the descriptor, because another file may have the name by now.
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", place);
        chmod(link, S_IRWXU);
    }
    int opened = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int problem = errno;
    close(place);
    errno = problem;
    return opened;
}
