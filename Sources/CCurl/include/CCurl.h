// libcurl, loaded when it is first needed.
//
// Linking it would cost every start of every program about 5 ms, because it loads some thirty libraries. Loading it
// costs only programs that use HTTP. The shims also replace functions with variable arguments, which Swift cannot
// call.
#pragma once

#include <curl/curl.h>
#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// Loads libcurl once per process. Any thread. Returns NULL on success, otherwise a sentence that remains valid.
const char *ccurl_load(void);

// The functions below may be called only after `ccurl_load` returned NULL, and for one handle by one thread at a
// time, except `ccurl_wakeup`.

/// curl_version(): the library and its parts.
const char *ccurl_version(void);

/// curl_easy_init(3): creates a transfer; NULL without memory. `ccurl_easy_free` releases it.
CURL *ccurl_easy_create(void);
/// curl_easy_cleanup(3).
void ccurl_easy_free(CURL *easy);
/// curl_easy_reset(3): resets all options; connections are kept.
void ccurl_easy_reset(CURL *easy);
/// curl_easy_setopt(3) for options that take a long.
CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
/// curl_easy_setopt(3) for options that take a string, which is copied, or NULL.
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value);
/// curl_easy_setopt(3) for CURLOPT_HTTPHEADER; the list must exist as long as the transfer.
CURLcode ccurl_set_headers(CURL *easy, struct curl_slist *headers);
/// Sets both callbacks of a transfer and their common context: `header` is called once per header line, `body` per
/// piece.
CURLcode ccurl_set_callbacks(
    CURL *easy, size_t (*header)(char *bytes, size_t size, size_t count, void *context),
    size_t (*body)(char *bytes, size_t size, size_t count, void *context), void *context);
/// Creates the socket of each new connection to a resolved address; CURL_SOCKET_BAD refuses it
/// (CURLE_COULDNT_CONNECT).
CURLcode ccurl_set_open_socket(CURL *easy, curl_opensocket_callback open, void *context);
/// The address for which a socket is requested.
const struct sockaddr *ccurl_address(const struct curl_sockaddr *address);
/// Creates the requested socket, which is closed in started programs; CURL_SOCKET_BAD if there is none.
curl_socket_t ccurl_open_socket(const struct curl_sockaddr *address);
/// Sets the buffer of at least CURL_ERROR_SIZE bytes for error messages; NULL removes it.
CURLcode ccurl_set_error_buffer(CURL *easy, char *buffer);
/// Whether the request of the current transfer was about to be sent, which means that name resolution, connection and
/// TLS were complete.
int ccurl_is_connected(CURL *easy);
/// curl_easy_pause(3) with CURLPAUSE_CONT; may call the body callback.
CURLcode ccurl_resume(CURL *easy);
/// curl_easy_strerror(3).
const char *ccurl_describe(CURLcode code);

/// curl_slist_append(3); NULL without memory, in which case the old list is still valid.
struct curl_slist *ccurl_list_append(struct curl_slist *list, const char *line);
/// curl_slist_free_all(3).
void ccurl_list_free(struct curl_slist *list);

/// curl_multi_init(3): runs a transfer and keeps its connections; NULL without memory.
CURLM *ccurl_multi_create(long connections);
/// curl_multi_cleanup(3), with SIGPIPE blocked.
void ccurl_multi_free(CURLM *multi);
/// curl_multi_add_handle(3).
CURLMcode ccurl_multi_add(CURLM *multi, CURL *easy);
/// curl_multi_remove_handle(3), with SIGPIPE blocked.
CURLMcode ccurl_multi_remove(CURLM *multi, CURL *easy);
/// curl_multi_perform(3), with SIGPIPE blocked; `running` becomes the number of unfinished transfers.
CURLMcode ccurl_multi_perform(CURLM *multi, int *running);
/// curl_multi_poll(3) without further descriptors.
CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds);
/// curl_multi_wakeup(3): ends the current or next poll. Any thread.
CURLMcode ccurl_wakeup(CURLM *multi);
/// Whether the transfer has ended, and its result.
int ccurl_finished(CURLM *multi, CURLcode *result);

#if defined(__cplusplus)
}
#endif
