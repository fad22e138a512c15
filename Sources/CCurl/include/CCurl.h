// libcurl, loaded when it is first needed.
//
// Linking it would cost every start of every program about 5 ms (it brings some thirty libraries along); loading it costs
// only those that speak HTTP. The shims also replace what Swift cannot call: functions with variable arguments.
#pragma once

#include <curl/curl.h>
#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// Loads libcurl once per process; any thread. NULL when it is there, otherwise a sentence that stays valid.
const char *ccurl_load(void);

// All that follows may be called only after `ccurl_load` returned NULL, and for one handle by one thread at a time,
// except `ccurl_wakeup`.

/// curl_version(): the library and its parts.
const char *ccurl_version(void);

/// curl_easy_init(3): a transfer, NULL without memory; `ccurl_easy_free` ends it.
CURL *ccurl_easy_create(void);
/// curl_easy_cleanup(3).
void ccurl_easy_free(CURL *easy);
/// curl_easy_reset(3): all options as new; connections stay.
void ccurl_easy_reset(CURL *easy);
/// curl_easy_setopt(3) for options that take a long.
CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
/// curl_easy_setopt(3) for options that take a string, which is copied, or NULL.
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value);
/// curl_easy_setopt(3) for CURLOPT_HTTPHEADER; the list must live as long as the transfer.
CURLcode ccurl_set_headers(CURL *easy, struct curl_slist *headers);
/// Both callbacks of a transfer with the one context they are given: `header` once per header line, `body` per piece.
CURLcode ccurl_set_callbacks(
    CURL *easy, size_t (*header)(char *bytes, size_t size, size_t count, void *context),
    size_t (*body)(char *bytes, size_t size, size_t count, void *context), void *context);
/// What makes the socket of each new connection, to an address that is resolved already; CURL_SOCKET_BAD refuses it
/// (CURLE_COULDNT_CONNECT).
CURLcode ccurl_set_open_socket(CURL *easy, curl_opensocket_callback open, void *context);
/// The address that a socket is wanted for.
const struct sockaddr *ccurl_address(const struct curl_sockaddr *address);
/// The socket that is wanted, closed in programs that are started; CURL_SOCKET_BAD if there is none.
curl_socket_t ccurl_open_socket(const struct curl_sockaddr *address);
/// The buffer of at least CURL_ERROR_SIZE bytes that explains failures; NULL forgets it.
CURLcode ccurl_set_error_buffer(CURL *easy, char *buffer);
/// Whether the request of the current transfer was about to be sent: name resolution, connection and TLS are done.
int ccurl_is_connected(CURL *easy);
/// curl_easy_pause(3) with CURLPAUSE_CONT; may call the body callback.
CURLcode ccurl_resume(CURL *easy);
/// curl_easy_strerror(3).
const char *ccurl_describe(CURLcode code);

/// curl_slist_append(3); NULL without memory, when the old list is still valid.
struct curl_slist *ccurl_list_append(struct curl_slist *list, const char *line);
/// curl_slist_free_all(3).
void ccurl_list_free(struct curl_slist *list);

/// curl_multi_init(3): what drives a transfer and keeps its connections, NULL without memory.
CURLM *ccurl_multi_create(long connections);
/// curl_multi_cleanup(3), with SIGPIPE held off.
void ccurl_multi_free(CURLM *multi);
/// curl_multi_add_handle(3).
CURLMcode ccurl_multi_add(CURLM *multi, CURL *easy);
/// curl_multi_remove_handle(3), with SIGPIPE held off.
CURLMcode ccurl_multi_remove(CURLM *multi, CURL *easy);
/// curl_multi_perform(3), with SIGPIPE held off; `running` becomes the number of unfinished transfers.
CURLMcode ccurl_multi_perform(CURLM *multi, int *running);
/// curl_multi_poll(3) without further descriptors.
CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds);
/// curl_multi_wakeup(3): ends the current or next poll; any thread.
CURLMcode ccurl_wakeup(CURLM *multi);
/// Whether the transfer has ended, and if so how.
int ccurl_finished(CURLM *multi, CURLcode *result);

#if defined(__cplusplus)
}
#endif
