#define _GNU_SOURCE
#include "CSystemShims.h"

#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

int shim_open_beneath(int folder, const char *path, uint64_t flags) {
    struct open_how how = {.flags = flags, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}
