#define _GNU_SOURCE
#include "worker_shims.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int shim_spawn(const char *path, char *const arguments[], char *const environment[], const int *descriptors, int count) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int result = posix_spawn_file_actions_init(&actions);
    if (result != 0) {
        errno = result;
        return -1;
    }
    result = posix_spawnattr_init(&attributes);
    if (result != 0) {
        posix_spawn_file_actions_destroy(&actions);
        errno = result;
        return -1;
    }
    // First duplicate them above their final numbers, so that none is overwritten before it has been moved.
    int above = count;
    for (int index = 0; index < count; index++) {
        if (descriptors[index] >= above) {
            above = descriptors[index] + 1;
        }
    }
    for (int index = 0; index < count && result == 0; index++) {
        if (descriptors[index] < 0) {
            result = posix_spawn_file_actions_addopen(&actions, above + index, "/dev/null", O_RDWR, 0);
        } else {
            result = posix_spawn_file_actions_adddup2(&actions, descriptors[index], above + index);
        }
    }
    for (int index = 0; index < count && result == 0; index++) {
        result = posix_spawn_file_actions_adddup2(&actions, above + index, index);
    }
    if (result == 0) {
        result = posix_spawn_file_actions_addclosefrom_np(&actions, count);
    }
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t pid = -1;
    if (result == 0) {
        result = posix_spawn(&pid, path, &actions, &attributes, arguments, environment);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (result != 0) {
        errno = result;
        return -1;
    }
    return pid;
}

int shim_pidfd(int pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

void shim_die_with_parent(int parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have ended before the setting took effect.
    if (getppid() != parent) {
        _exit(0);
    }
}

void shim_name_process(const char *name) {
    prctl(PR_SET_NAME, name);
}

// Waits until the watched process has ended, and then ends its group. This process is a member of the group, so the
// group id is still valid. All signals that could end it earlier are blocked, except SIGKILL.
static _Noreturn void watch(int leader, const sigset_t *all) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    // The limit of descriptors may not be active.
    for (int descriptor = 0; descriptor < 1024; descriptor++) {
        close(descriptor);
    }
    while (getppid() == leader) {
        sigwaitinfo(all, NULL);
    }
    kill(0, SIGKILL);
    _exit(0);
}

void shim_take_group_along(void) {
    pid_t leader = getpid();
    if (getpgrp() != leader) {
        return;
    }
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    // Like fork, but without a signal at the end, so that the overlay does not find a child that it has not started
    // when it waits.
    if (syscall(SYS_clone, 0, 0, 0, 0, 0) == 0) {
        watch(leader, &all);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void shim_end_group(void) {
    if (getpgrp() == getpid()) {
        kill(0, SIGKILL);
    }
    _exit(0);
}

int shim_reap(int pid, int *status) {
    pid_t result;
    do {
        result = waitpid(pid, status, WNOHANG);
    } while (result < 0 && errno == EINTR);
    return result <= 0 ? result : 1;
}

int shim_has_ended(int pid) {
    siginfo_t info;
    info.si_pid = 0;
    int result = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return result != 0 ? -1 : info.si_pid == pid;
}
