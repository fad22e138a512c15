#define _GNU_SOURCE
#include "worker_shims.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void forget(char *const words[]) {
    for (int index = 0; words[index] != NULL; index++) {
        memset(words[index], 0, strlen(words[index]));
    }
}

int shim_fork_standby(char *const arguments[], int *socket) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return -1;
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid != 0) {
        close(ends[1]);
        if (pid < 0) {
            close(ends[0]);
        }
        *socket = ends[0];
        return pid;
    }
    shim_die_with_parent(parent);
    setpgid(0, 0);
    struct sigaction action = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) {
        sigaction(number, &action, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    // The socket becomes the only descriptor.
    if (dup2(ends[1], 0) != 0) {
        _exit(71);
    }
    closefrom(1);
    forget(arguments);
    forget(environ);
    *socket = 0;
    return 0;
}

int shim_place_descriptors(const int *descriptors, int count) {
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    int above = nothing >= count ? nothing + 1 : count;
    for (int index = 0; index < count; index++) {
        if (descriptors[index] >= above) {
            above = descriptors[index] + 1;
        }
    }
    // First above their final numbers, so that none is overwritten before it has been moved.
    for (int index = 0; index < count; index++) {
        if (dup2(descriptors[index] < 0 ? nothing : descriptors[index], above + index) < 0) {
            return -1;
        }
    }
    for (int index = 0; index < count; index++) {
        if (dup2(above + index, index) < 0) {
            return -1;
        }
    }
    closefrom(count);
    return 0;
}
