#define _GNU_SOURCE
#include "CSystemShims.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

int shim_eventfd(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

int shim_accept_cloexec(int socket) {
    return accept4(socket, NULL, NULL, SOCK_CLOEXEC);
}

int shim_rename_noreplace(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}
