// Confinement of worker processes: no new privileges, limits, Landlock, seccomp. Numbers that the headers of Debian 12 do not
// know yet are written out; each part is optional at run time.
#define _GNU_SOURCE
#include "worker_shims.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// ---- limits ----------------------------------------------------------------------------------------------------------

static int limit(int what, uint64_t most) {
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)what, &now) != 0) {
        return -1;
    }
    rlim_t wanted = now.rlim_max == RLIM_INFINITY || most < now.rlim_max ? (rlim_t)most : now.rlim_max;
    struct rlimit next = {wanted, wanted};
    return setrlimit((__rlimit_resource_t)what, &next);
}

static int set_limits(uint64_t memory) {
    int failed = 0;
    failed |= limit(RLIMIT_CORE, 0);
    failed |= limit(RLIMIT_NOFILE, 256);
    failed |= limit(RLIMIT_FSIZE, 4ull << 30);
    failed |= limit(RLIMIT_MEMLOCK, 0);
    failed |= limit(RLIMIT_MSGQUEUE, 0);
    failed |= limit(RLIMIT_DATA, memory);
    return failed;
}

// ---- Landlock --------------------------------------------------------------------------------------------------------

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

// Rights on files; the others need a folder.
#define FILE_RIGHTS ((uint64_t)(fs_execute | fs_write_file | fs_read_file | fs_truncate | fs_ioctl_dev))
#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH 1
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

static uint32_t landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
    return version > 0 ? (uint32_t)version : 0;
}

// A path that is not there needs no rule.
static int allow(int ruleset, const char *path, uint64_t rights) {
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0) {
        return errno == ENOENT || errno == EACCES || errno == ENOTDIR ? 0 : -1;
    }
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        close(descriptor);
        return -1;
    }
    if (!S_ISDIR(status.st_mode)) {
        rights &= FILE_RIGHTS;
    }
    struct path_rule rule = {rights, descriptor};
    long result = syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
    close(descriptor);
    return (int)result;
}

static uint32_t restrict_files(const char *const *readable, const char *writable, uint32_t version) {
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
    int failed = 0;
    for (; *readable != NULL; readable++) {
        failed |= allow(ruleset, *readable, look);
    }
    failed |= allow(ruleset, "/dev/null", fs_read_file | fs_write_file);
    failed |= allow(ruleset, "/dev/urandom", fs_read_file);
    failed |= allow(ruleset, "/dev/zero", fs_read_file);
    if (writable[0] != 0) {
        failed |= allow(ruleset, writable, use & rules.handled_access_fs);
    }
    if (failed == 0) {
        failed = (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
    }
    close(ruleset);
    if (failed != 0) {
        return 0;
    }
    return SHIM_LANDLOCK | (version >= 4 ? SHIM_LANDLOCK_NETWORK : 0) | (version >= 6 ? SHIM_LANDLOCK_SCOPES : 0);
}

// ---- seccomp ---------------------------------------------------------------------------------------------------------

#if defined(__x86_64__)
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define LOAD_NUMBER LOAD(offsetof(struct seccomp_data, nr))
// The lower half of an argument on little-endian machines.
#define LOAD_ARGUMENT(index) LOAD(offsetof(struct seccomp_data, args) + 8 * (index))
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ABSENT BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE_CALL(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), REFUSE

#if defined(THIS_MACHINE)
static int restrict_calls(void) {
    uint32_t self = (uint32_t)getpid();
    struct sock_filter filter[] = {
        LOAD(offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        LOAD_NUMBER,
#if defined(__x86_64__)
        // The numbers of the x32 interface.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1),
        REFUSE,
        REFUSE_CALL(fork),
        REFUSE_CALL(vfork),
#endif
        // The C library takes clone when clone3, whose flags no filter can see, is absent.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        ABSENT,
        REFUSE_CALL(socket),
        REFUSE_CALL(socketpair),
        REFUSE_CALL(connect),
        REFUSE_CALL(bind),
        REFUSE_CALL(listen),
        REFUSE_CALL(accept),
        REFUSE_CALL(accept4),
        REFUSE_CALL(execve),
        REFUSE_CALL(execveat),
        REFUSE_CALL(ptrace),
        REFUSE_CALL(process_vm_readv),
        REFUSE_CALL(process_vm_writev),
        REFUSE_CALL(kcmp),
        REFUSE_CALL(setpgid),
        REFUSE_CALL(setsid),
        REFUSE_CALL(setns),
        REFUSE_CALL(unshare),
        REFUSE_CALL(mount),
        REFUSE_CALL(umount2),
        REFUSE_CALL(pivot_root),
        REFUSE_CALL(chroot),
        REFUSE_CALL(bpf),
        REFUSE_CALL(perf_event_open),
        REFUSE_CALL(keyctl),
        REFUSE_CALL(add_key),
        REFUSE_CALL(request_key),
        REFUSE_CALL(userfaultfd),
        REFUSE_CALL(open_by_handle_at),
        REFUSE_CALL(init_module),
        REFUSE_CALL(finit_module),
        REFUSE_CALL(delete_module),
        REFUSE_CALL(kexec_load),
        REFUSE_CALL(reboot),
        REFUSE_CALL(swapon),
        REFUSE_CALL(swapoff),
        REFUSE_CALL(settimeofday),
        REFUSE_CALL(clock_settime),
        REFUSE_CALL(sethostname),
        REFUSE_CALL(personality),
        REFUSE_CALL(shmget),
        REFUSE_CALL(msgget),
        REFUSE_CALL(semget),
        REFUSE_CALL(mq_open),
        REFUSE_CALL(tkill),
        REFUSE_CALL(rt_sigqueueinfo),
        REFUSE_CALL(rt_tgsigqueueinfo),
        REFUSE_CALL(pidfd_open),
        REFUSE_CALL(pidfd_send_signal),
        // pidfd_getfd, the io_uring calls, and the newer mount calls, which old headers lack.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 438, 0, 1),
        REFUSE,
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 425, 0, 1),
        ABSENT,
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 426, 0, 1),
        REFUSE,
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 427, 0, 1),
        REFUSE,
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 428, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 433, 1, 0),
        REFUSE,
        // clone makes threads and nothing else.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
        LOAD_ARGUMENT(0),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        REFUSE,
        ALLOW,
        // Signals go to this process and nobody else.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 4),
        LOAD_ARGUMENT(0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 1, 0),
        REFUSE,
        ALLOW,
        // Only its own limits, and never the wish to end with its host.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 5),
        LOAD_ARGUMENT(0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 1, 0),
        REFUSE,
        ALLOW,
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
        LOAD_ARGUMENT(0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_PDEATHSIG, 0, 1),
        REFUSE,
        ALLOW,
    };
    struct sock_fprog program = {(unsigned short)(sizeof filter / sizeof filter[0]), filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int calls_can_be_restricted(void) {
    uint32_t action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}
#else
static int restrict_calls(void) {
    return -1;
}

static int calls_can_be_restricted(void) {
    return 0;
}
#endif

uint32_t shim_confine(const char *const *readable, const char *writable, uint64_t memory, uint32_t withheld,
                      uint32_t *landlock) {
    uint32_t done = 0;
    *landlock = (withheld & SHIM_LANDLOCK) != 0 ? 0 : landlock_version();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        done |= SHIM_NO_NEW_PRIVILEGES;
    }
    if (set_limits(memory) == 0) {
        done |= SHIM_LIMITS;
    }
    done |= restrict_files(readable, writable, *landlock);
    if ((withheld & SHIM_SECCOMP) == 0 && restrict_calls() == 0) {
        done |= SHIM_SECCOMP;
    }
    return done;
}

uint32_t shim_confinement_offered(uint32_t *landlock) {
    uint32_t version = landlock_version();
    *landlock = version;
    return SHIM_NO_NEW_PRIVILEGES | SHIM_LIMITS | (version >= 1 ? SHIM_LANDLOCK : 0) |
           (version >= 4 ? SHIM_LANDLOCK_NETWORK : 0) | (version >= 6 ? SHIM_LANDLOCK_SCOPES : 0) |
           (calls_can_be_restricted() ? SHIM_SECCOMP : 0);
}
