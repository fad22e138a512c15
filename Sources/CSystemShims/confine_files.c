// Restricts access to files with Landlock. Constants that the headers of Debian 12 do not contain are defined here.
#define _GNU_SOURCE
#include "confinement_parts.h"
#include "confinement_shims.h"

#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct ruleset {
    uint64_t handled_access_fs;
    uint64_t handled_access_net;
    uint64_t scoped;
};

struct __attribute__((packed)) path_rule {
    uint64_t allowed_access;
    int32_t parent;
};

enum {
    fs_execute = 1 << 0,
    fs_write_file = 1 << 1,
    fs_read_file = 1 << 2,
    fs_read_dir = 1 << 3,
    fs_remove_dir = 1 << 4,
    fs_remove_file = 1 << 5,
    fs_make_dir = 1 << 7,
    fs_make_reg = 1 << 8,
    fs_make_sym = 1 << 12,
    fs_refer = 1 << 13,
    fs_truncate = 1 << 14,
    fs_ioctl_dev = 1 << 15,
};

// Rights for files. All other rights require a folder.
#define FILE_RIGHTS ((uint64_t)(fs_execute | fs_write_file | fs_read_file | fs_truncate | fs_ioctl_dev))
#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH 1
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

uint32_t confine_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
    return version > 0 ? (uint32_t)version : 0;
}

// A path that does not exist or cannot be opened gets no rule, and so remains inaccessible.
static void allow(int ruleset, const char *path, uint64_t rights) {
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0) {
        return;
    }
    struct stat status;
    if (fstat(descriptor, &status) == 0) {
        struct path_rule rule = {S_ISDIR(status.st_mode) ? rights : rights & FILE_RIGHTS, descriptor};
        syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
    }
    close(descriptor);
}

uint32_t confine_files(const char *const *readable, const char *writable, uint32_t version) {
    if (version == 0) {
        return 0;
    }
    struct ruleset rules = {(1ull << 13) - 1, 0, 0};
    size_t size = sizeof rules.handled_access_fs;
    if (version >= 2) rules.handled_access_fs |= fs_refer;
    if (version >= 3) rules.handled_access_fs |= fs_truncate;
    if (version >= 5) rules.handled_access_fs |= fs_ioctl_dev;
    if (version >= 4) {
        rules.handled_access_net = 3;
        size = offsetof(struct ruleset, scoped);
    }
    if (version >= 6) {
        rules.scoped = 3;
        size = sizeof rules;
    }
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
    if (ruleset < 0) {
        return 0;
    }
    uint64_t look = fs_execute | fs_read_file | fs_read_dir;
    uint64_t use = fs_read_file | fs_write_file | fs_read_dir | fs_remove_dir | fs_remove_file | fs_make_dir | fs_make_reg |
                   fs_make_sym | fs_refer | fs_truncate;
    for (; *readable != NULL; readable++) {
        allow(ruleset, *readable, look);
    }
    // Do not allow /dev/zero, because limits do not cover shared mappings of it.
    allow(ruleset, "/dev/null", fs_read_file | fs_write_file);
    allow(ruleset, "/dev/urandom", fs_read_file);
    if (writable[0] != 0) {
        allow(ruleset, writable, use & rules.handled_access_fs);
    }
    long failed = syscall(SYS_landlock_restrict_self, ruleset, 0);
    close(ruleset);
    if (failed != 0) {
        return 0;
    }
    return SHIM_LANDLOCK | (version >= 4 ? SHIM_LANDLOCK_NETWORK : 0) | (version >= 6 ? SHIM_LANDLOCK_SCOPES : 0);
}

struct library_visit {
    void (*each)(const char *path, void *context);
    void *context;
};

static int visit_library(struct dl_phdr_info *library, size_t size, void *visit) {
    (void)size;
    // The program itself has an empty name.
    if (library->dlpi_name != NULL && library->dlpi_name[0] != 0) {
        const struct library_visit *call = visit;
        call->each(library->dlpi_name, call->context);
    }
    return 0;
}

void shim_each_loaded_library(void (*each)(const char *path, void *context), void *context) {
    struct library_visit visit = {each, context};
    dl_iterate_phdr(visit_library, &visit);
}
