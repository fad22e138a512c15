// Filters system calls with seccomp: calls that a worker may not make at all, or only for itself.
#define _GNU_SOURCE
#include "confinement_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif

#if defined(THIS_MACHINE)

// Calls that are refused with EPERM.
static const unsigned refused[] = {
    // Sockets, programs and processes.
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_execve, SYS_execveat,
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise, SYS_process_mrelease, SYS_kcmp, SYS_setpgid,
    SYS_setsid, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_open, SYS_pidfd_getfd,
    SYS_pidfd_send_signal, SYS_move_pages, SYS_migrate_pages,
    // Calls that change the user or group, which would also reset the signal for the end of the host.
    SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setfsuid, SYS_setfsgid,
    SYS_setgroups, SYS_capset,
    // Operations on files that Landlock does not cover, such as those for attributes, watching, and the working
    // directory.
    SYS_fchownat, SYS_inotify_init1, SYS_inotify_add_watch,
    SYS_fanotify_init, SYS_fanotify_mark, SYS_chdir, SYS_fchdir, SYS_name_to_handle_at, SYS_open_by_handle_at,
    // Memory and messages that limits do not cover and that may belong to others.
    SYS_memfd_create, SYS_memfd_secret, SYS_shmget, SYS_shmat, SYS_shmctl, SYS_shmdt, SYS_msgget, SYS_msgsnd, SYS_msgrcv,
    SYS_msgctl, SYS_semget, SYS_semop, SYS_semtimedop, SYS_semctl, SYS_mq_open, SYS_mq_unlink,
    // Namespaces, mounts and the system itself.
    SYS_setns, SYS_unshare, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_open_tree, SYS_move_mount, SYS_fsopen,
    SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_mount_setattr, SYS_quotactl, SYS_quotactl_fd, SYS_acct, SYS_syslog,
    SYS_adjtimex, SYS_clock_adjtime, SYS_clock_settime, SYS_settimeofday, SYS_sethostname, SYS_setdomainname, SYS_init_module,
    SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_vhangup, SYS_personality,
    SYS_lookup_dcookie, SYS_bpf, SYS_perf_event_open, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_userfaultfd,
    SYS_io_uring_enter, SYS_io_uring_register,
#if defined(SYS_kexec_file_load)
    SYS_kexec_file_load,
#endif
#if defined(__x86_64__)
    // Older calls for the same purposes, which other machines do not have.
    SYS_fork, SYS_vfork, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_inotify_init, SYS_iopl,
    SYS_ioperm, SYS_modify_ldt, SYS_uselib, SYS__sysctl,
#endif
};

// Calls that change attributes of files. The host makes them, and only in the worker's own folder.
static const unsigned granted[] = {
    SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_utimensat,
#if defined(__x86_64__)
    SYS_chmod,
#endif
};

// Calls for extended attributes, which fail as if the file system did not support them. Programs that copy files then
// ignore attributes.
static const unsigned attributes[] = {
    SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr, SYS_llistxattr,
    SYS_flistxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
};

// Calls that fail as if the kernel did not have them. The C library then uses others, whose arguments a filter can
// check.
static const unsigned absent[] = {SYS_clone3, SYS_openat2, SYS_io_uring_setup};

// The last call that this filter knows, set_mempolicy_home_node, and later calls that are harmless: cachestat,
// futexes, mseal.
enum { last_known = 450 };
static const unsigned harmless[] = {451, 454, 455, 456, 462};

// Calls on descriptors that request information which every program may have, or that only change this process's
// descriptor. Other calls send signals, change attributes of files that are open for reading only, or act on the file
// system. 0x802C542A is TCGETS2.
static const unsigned device_calls[] = {TCGETS, 0x802C542A, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};
// Calls on descriptors that send or receive signals for events of others.
static const unsigned file_controls[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG, F_SETLEASE, F_NOTIFY};

// All namespaces that a clone can create.
#define NAMESPACES \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)

struct filter {
    struct sock_filter code[1024];
    unsigned short length;
    // Whether there was not enough space for all instructions.
    int is_full;
};

static void add(struct filter *filter, uint16_t code, uint8_t then, uint8_t otherwise, uint32_t value) {
    if (filter->length == COUNT(filter->code)) {
        filter->is_full = 1;
        return;
    }
    filter->code[filter->length++] = (struct sock_filter){code, then, otherwise, value};
}

static void load(struct filter *filter, size_t offset) {
    add(filter, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

// Loads the lower half of an argument on little-endian machines.
static void load_argument(struct filter *filter, unsigned index) {
    load(filter, offsetof(struct seccomp_data, args) + 8 * index);
}

static void answer(struct filter *filter, uint32_t action) {
    add(filter, BPF_RET | BPF_K, 0, 0, action);
}

// Returns the action if the loaded value equals `value`.
static void when_equal(struct filter *filter, uint32_t value, uint32_t action) {
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
    answer(filter, action);
}

// Returns the action if the loaded value has one of these bits.
static void when_any(struct filter *filter, uint32_t bits, uint32_t action) {
    add(filter, BPF_JMP | BPF_JSET | BPF_K, 0, 1, bits);
    answer(filter, action);
}

// Returns the action if these bits of an argument have the given value.
static void when_bits(struct filter *filter, unsigned index, uint32_t bits, uint32_t value, uint32_t action) {
    load_argument(filter, index);
    add(filter, BPF_ALU | BPF_AND | BPF_K, 0, 0, bits);
    when_equal(filter, value, action);
}

static void each_equal(struct filter *filter, const unsigned *values, size_t count, uint32_t action) {
    for (size_t index = 0; index < count; index++) {
        when_equal(filter, values[index], action);
    }
}

// Begins the rules of a call, whose number is loaded. `end_call` ends them. The rules must return an action before
// that.
static unsigned begin_call(struct filter *filter, unsigned number) {
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, number);
    return filter->length - 1u;
}

static void end_call(struct filter *filter, unsigned begin) {
    filter->code[begin].jf = (uint8_t)(filter->length - begin - 1);
}

// Allows a call only if an argument is the id of this process, or optionally 0.
static void allow_on_itself(struct filter *filter, unsigned number, unsigned index, int also_zero) {
    unsigned call = begin_call(filter, number);
    load_argument(filter, index);
    when_equal(filter, (uint32_t)getpid(), SECCOMP_RET_ALLOW);
    if (also_zero) {
        when_equal(filter, 0, SECCOMP_RET_ALLOW);
    }
    answer(filter, REFUSE);
    end_call(filter, call);
}

// Allows changing the priority of this process, but not of groups or users.
static void allow_own_priority(struct filter *filter, unsigned number, uint32_t process) {
    unsigned call = begin_call(filter, number);
    load_argument(filter, 0);
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, process);
    answer(filter, REFUSE);
    load_argument(filter, 1);
    when_equal(filter, 0, SECCOMP_RET_ALLOW);
    when_equal(filter, (uint32_t)getpid(), SECCOMP_RET_ALLOW);
    answer(filter, REFUSE);
    end_call(filter, call);
}

// Allows only threads, which must share the descriptors of the process, because the limit of descriptors applies to
// each table.
static void restrict_clone(struct filter *filter, uint32_t action) {
    unsigned call = begin_call(filter, SYS_clone);
    load_argument(filter, 0);
    when_any(filter, NAMESPACES, REFUSE);
    when_bits(filter, 0, CLONE_THREAD | CLONE_FILES, CLONE_THREAD | CLONE_FILES, action);
    answer(filter, REFUSE);
    end_call(filter, call);
    call = begin_call(filter, SYS_close_range);
    load_argument(filter, 2);
    when_any(filter, CLOSE_RANGE_UNSHARE, REFUSE);
    answer(filter, SECCOMP_RET_ALLOW);
    end_call(filter, call);
}

static void restrict_open(struct filter *filter, unsigned number, unsigned flags, uint32_t landlock) {
    unsigned call = begin_call(filter, number);
    load_argument(filter, flags);
    // Landlock does not check descriptors that can neither read nor write, which can be used for attributes and other
    // purposes.
    when_any(filter, O_PATH, REFUSE);
    when_bits(filter, flags, O_ACCMODE, O_ACCMODE, REFUSE);
    // Before version 3, Landlock does not check truncation, which is possible here without write access.
    if (landlock < 3) {
        when_bits(filter, flags, O_TRUNC | O_ACCMODE, O_TRUNC | O_RDONLY, REFUSE);
    }
    answer(filter, SECCOMP_RET_ALLOW);
    end_call(filter, call);
}

// Refuses shared memory and growing stacks, because only the private memory of a process is limited.
static void restrict_memory(struct filter *filter) {
    unsigned call = begin_call(filter, SYS_mmap);
    load_argument(filter, 3);
    when_any(filter, MAP_GROWSDOWN, REFUSE);
    when_bits(filter, 3, MAP_ANONYMOUS | MAP_SHARED, MAP_ANONYMOUS | MAP_SHARED, REFUSE);
    answer(filter, SECCOMP_RET_ALLOW);
    end_call(filter, call);
}

static void restrict_descriptors(struct filter *filter) {
    unsigned call = begin_call(filter, SYS_ioctl);
    load_argument(filter, 1);
    each_equal(filter, device_calls, COUNT(device_calls), SECCOMP_RET_ALLOW);
    // Answer as if the descriptor did not support the call.
    answer(filter, SECCOMP_RET_ERRNO | ENOTTY);
    end_call(filter, call);
    call = begin_call(filter, SYS_fcntl);
    load_argument(filter, 1);
    each_equal(filter, file_controls, COUNT(file_controls), REFUSE);
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, F_SETFL);
    answer(filter, SECCOMP_RET_ALLOW);
    load_argument(filter, 2);
    when_any(filter, O_ASYNC, REFUSE);
    answer(filter, SECCOMP_RET_ALLOW);
    end_call(filter, call);
}

static void restrict_itself(struct filter *filter) {
    allow_on_itself(filter, SYS_kill, 0, 0);
    allow_on_itself(filter, SYS_tgkill, 0, 0);
    allow_on_itself(filter, SYS_prlimit64, 0, 1);
    allow_on_itself(filter, SYS_sched_setparam, 0, 1);
    allow_on_itself(filter, SYS_sched_setscheduler, 0, 1);
    allow_on_itself(filter, SYS_sched_setattr, 0, 1);
    allow_on_itself(filter, SYS_sched_setaffinity, 0, 1);
    allow_on_itself(filter, SYS_get_robust_list, 0, 1);
    allow_own_priority(filter, SYS_setpriority, PRIO_PROCESS);
    // The value 1 is IOPRIO_WHO_PROCESS.
    allow_own_priority(filter, SYS_ioprio_set, 1);
    unsigned call = begin_call(filter, SYS_prctl);
    load_argument(filter, 0);
    when_equal(filter, PR_SET_PDEATHSIG, REFUSE);
    answer(filter, SECCOMP_RET_ALLOW);
    end_call(filter, call);
}

static void make(struct filter *filter, uint32_t landlock, int starts_program, int asks) {
    load(filter, offsetof(struct seccomp_data, arch));
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, THIS_MACHINE);
    answer(filter, SECCOMP_RET_KILL_PROCESS);
    load(filter, offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
    // Calls of the x32 interface.
    add(filter, BPF_JMP | BPF_JGE | BPF_K, 0, 1, 0x40000000u);
    answer(filter, REFUSE);
    restrict_open(filter, SYS_open, 1, landlock);
#endif
    restrict_open(filter, SYS_openat, 2, landlock);
    restrict_memory(filter);
    restrict_descriptors(filter);
    restrict_clone(filter, asks ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW);
    if (landlock < 3) {
        when_equal(filter, SYS_truncate, REFUSE);
    }
    each_equal(filter, absent, COUNT(absent), SECCOMP_RET_ERRNO | ENOSYS);
    each_equal(filter, attributes, COUNT(attributes), SECCOMP_RET_ERRNO | EOPNOTSUPP);
    each_equal(filter, granted, COUNT(granted), asks ? SECCOMP_RET_USER_NOTIF : REFUSE);
    if (starts_program) {
        when_equal(filter, SYS_execve, SECCOMP_RET_ALLOW);
    }
    each_equal(filter, refused, COUNT(refused), REFUSE);
    restrict_itself(filter);
    // Calls of later kernels may allow refused operations in another way.
    each_equal(filter, harmless, COUNT(harmless), SECCOMP_RET_ALLOW);
    add(filter, BPF_JMP | BPF_JGT | BPF_K, 0, 1, last_known);
    answer(filter, SECCOMP_RET_ERRNO | ENOSYS);
    answer(filter, SECCOMP_RET_ALLOW);
}

int confine_calls(uint32_t landlock, int starts_program, int *listener) {
    struct filter filter;
    filter.length = 0;
    filter.is_full = 0;
    make(&filter, landlock, starts_program, listener != NULL);
    if (filter.is_full) {
        return -1;
    }
    struct sock_fprog program = {filter.length, filter.code};
    unsigned flags = listener != NULL ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0;
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    if (listener != NULL) {
        *listener = (int)result;
    }
    return result < 0 ? -1 : 0;
}

static int is_available(uint32_t action) {
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int confine_calls_offered(void) {
    return is_available(SECCOMP_RET_ERRNO);
}

int confine_threads_offered(void) {
    struct stat status;
    // Continuing a call after the question requires Linux 5.5. Informing the host about the end of the worker
    // requires 5.9, like close_range, whose presence can be tested.
    return is_available(SECCOMP_RET_USER_NOTIF) && (syscall(SYS_close_range, 1, 0, 0) == 0 || errno != ENOSYS) &&
           stat("/proc/self/task", &status) == 0;
}

#else

int confine_calls(uint32_t landlock, int starts_program, int *listener) {
    (void)landlock;
    (void)starts_program;
    (void)listener;
    return -1;
}

int confine_calls_offered(void) {
    return 0;
}

int confine_threads_offered(void) {
    return 0;
}

#endif
