#define _GNU_SOURCE
#include "CSystemShims.h"

#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <wchar.h>

int shim_eventfd(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

int shim_accept_cloexec(int socket) {
    return accept4(socket, NULL, NULL, SOCK_CLOEXEC);
}

int shim_rename_noreplace(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

int shim_rename_noreplace_at(int from_folder, const char *from, int to_folder, const char *to) {
    return renameat2(from_folder, from, to_folder, to, RENAME_NOREPLACE);
}

int shim_exchange_at(int folder, const char *one, const char *other) {
    return renameat2(folder, one, folder, other, RENAME_EXCHANGE);
}

static locale_t unicode_locale;
static pthread_once_t unicode_locale_once = PTHREAD_ONCE_INIT;

static void make_unicode_locale(void) {
    unicode_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

int shim_terminal_cells(uint32_t scalar) {
    pthread_once(&unicode_locale_once, make_unicode_locale);
    locale_t previous = uselocale(unicode_locale);
    int cells = wcwidth((wchar_t)scalar);
    uselocale(previous);
    return cells;
}

int shim_ppoll(struct pollfd *descriptors, unsigned long count, int64_t nanoseconds) {
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    return ppoll(descriptors, count, nanoseconds < 0 ? NULL : &time, NULL);
}
