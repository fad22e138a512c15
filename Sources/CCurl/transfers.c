#define _GNU_SOURCE
#include "functions.h"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>

// OpenSSL writes to its sockets without MSG_NOSIGNAL, so a peer that hangs up would end the process. SIGPIPE is sent
// to the writing thread, so it is blocked in this thread, and a signal that has arrived is removed.
struct quiet {
    sigset_t previous;
    int was_pending;
};

static struct quiet pipe_signal_off(void) {
    struct quiet quiet;
    sigset_t pipe, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    quiet.was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe, &quiet.previous);
    return quiet;
}

static void pipe_signal_on(struct quiet quiet) {
    sigset_t pipe;
    struct timespec at_once = {0, 0};
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    if (!quiet.was_pending)
        while (sigtimedwait(&pipe, 0, &at_once) == SIGPIPE) {}
    pthread_sigmask(SIG_SETMASK, &quiet.previous, 0);
}

const char *ccurl_version(void) { return ccurl.version(); }

CURL *ccurl_easy_create(void) { return ccurl.easy_init(); }

void ccurl_easy_free(CURL *easy) {
    struct quiet quiet = pipe_signal_off();
    ccurl.easy_cleanup(easy);
    pipe_signal_on(quiet);
}

void ccurl_easy_reset(CURL *easy) { ccurl.easy_reset(easy); }

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return ccurl.easy_setopt(easy, option, value);
}

CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return ccurl.easy_setopt(easy, option, value);
}

CURLcode ccurl_set_headers(CURL *easy, struct curl_slist *headers) {
    return ccurl.easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
}

CURLcode ccurl_set_callbacks(
    CURL *easy, size_t (*header)(char *, size_t, size_t, void *), size_t (*body)(char *, size_t, size_t, void *),
    void *context) {
    CURLcode code = ccurl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, header);
    if (code == CURLE_OK) code = ccurl.easy_setopt(easy, CURLOPT_HEADERDATA, context);
    if (code == CURLE_OK) code = ccurl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = ccurl.easy_setopt(easy, CURLOPT_WRITEDATA, context);
    return code;
}

CURLcode ccurl_set_open_socket(CURL *easy, curl_opensocket_callback open, void *context) {
    CURLcode code = ccurl.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
    return code == CURLE_OK ? ccurl.easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context) : code;
}

const struct sockaddr *ccurl_address(const struct curl_sockaddr *address) { return &address->addr; }

curl_socket_t ccurl_open_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

CURLcode ccurl_set_error_buffer(CURL *easy, char *buffer) {
    return ccurl.easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}

int ccurl_is_connected(CURL *easy) {
    curl_off_t microseconds = 0;
    return ccurl.easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &microseconds) == CURLE_OK && microseconds > 0;
}

CURLcode ccurl_resume(CURL *easy) {
    struct quiet quiet = pipe_signal_off();
    CURLcode code = ccurl.easy_pause(easy, CURLPAUSE_CONT);
    pipe_signal_on(quiet);
    return code;
}

const char *ccurl_describe(CURLcode code) { return ccurl.easy_strerror(code); }

struct curl_slist *ccurl_list_append(struct curl_slist *list, const char *line) {
    return ccurl.slist_append(list, line);
}

void ccurl_list_free(struct curl_slist *list) { ccurl.slist_free_all(list); }

CURLM *ccurl_multi_create(long connections) {
    CURLM *multi = ccurl.multi_init();
    if (multi) ccurl.multi_setopt(multi, CURLMOPT_MAXCONNECTS, connections);
    return multi;
}

void ccurl_multi_free(CURLM *multi) {
    struct quiet quiet = pipe_signal_off();
    ccurl.multi_cleanup(multi);
    pipe_signal_on(quiet);
}

CURLMcode ccurl_multi_add(CURLM *multi, CURL *easy) { return ccurl.multi_add_handle(multi, easy); }

CURLMcode ccurl_multi_remove(CURLM *multi, CURL *easy) {
    struct quiet quiet = pipe_signal_off();
    CURLMcode code = ccurl.multi_remove_handle(multi, easy);
    pipe_signal_on(quiet);
    return code;
}

CURLMcode ccurl_multi_perform(CURLM *multi, int *running) {
    struct quiet quiet = pipe_signal_off();
    CURLMcode code = ccurl.multi_perform(multi, running);
    pipe_signal_on(quiet);
    return code;
}

CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds) {
    return ccurl.multi_poll(multi, 0, 0, milliseconds, 0);
}

CURLMcode ccurl_wakeup(CURLM *multi) { return ccurl.multi_wakeup(multi); }

int ccurl_finished(CURLM *multi, CURLcode *result) {
    CURLMsg *message;
    int left = 0;
    while ((message = ccurl.multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return 1;
        }
    }
    return 0;
}
