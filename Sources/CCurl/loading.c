#define _GNU_SOURCE
#include "functions.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

struct ccurl_functions ccurl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[512];

static int find(void *library, const char *name, void *slot) {
    void *address = dlsym(library, name);
    if (!address) {
        snprintf(failure, sizeof failure, "libcurl is older than 7.68: it has no %s", name);
        return 0;
    }
    *(void **)slot = address;
    return 1;
}

static void load(void) {
    // The second name is the same library with another TLS library. Some systems have only that one.
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(failure, sizeof failure, "libcurl cannot be loaded: %s", reason ? reason : "it is not installed");
        return;
    }
    // At exit, OpenSSL would free memory that a thread in a transfer still uses, and the program would crash. Disable
    // this before OpenSSL's first use. The value is OPENSSL_INIT_NO_ATEXIT, part of OpenSSL's ABI.
    int (*openssl_init)(uint64_t, const void *) = 0;
    *(void **)&openssl_init = dlsym(library, "OPENSSL_init_crypto");
    if (openssl_init) openssl_init(0x00080000, 0);

#define FIND(name) \
    if (!find(library, "curl_" #name, &ccurl.name)) return
    FIND(global_init);
    FIND(version);
    FIND(easy_init);
    FIND(easy_cleanup);
    FIND(easy_reset);
    FIND(easy_setopt);
    FIND(easy_getinfo);
    FIND(easy_pause);
    FIND(easy_strerror);
    FIND(slist_append);
    FIND(slist_free_all);
    FIND(multi_init);
    FIND(multi_cleanup);
    FIND(multi_setopt);
    FIND(multi_add_handle);
    FIND(multi_remove_handle);
    FIND(multi_perform);
    FIND(multi_poll);
    FIND(multi_wakeup);
    FIND(multi_info_read);
#undef FIND
    CURLcode code = ccurl.global_init(CURL_GLOBAL_ALL);
    if (code != CURLE_OK)
        snprintf(failure, sizeof failure, "libcurl cannot be prepared: %s", ccurl.easy_strerror(code));
}

const char *ccurl_load(void) {
    pthread_once(&once, load);
    return failure[0] ? failure : 0;
}
