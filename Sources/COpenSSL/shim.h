// OpenSSL: TLS to devices, TLS and certificates of the simulated device, digests of the host.
#pragma once
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Macros and variadic functions of OpenSSL that Swift cannot import.

static inline int shim_ssl_ctx_set_versions(SSL_CTX *context, int lowest, int highest) {
    return SSL_CTX_set_min_proto_version(context, lowest) == 1 && SSL_CTX_set_max_proto_version(context, highest) == 1;
}

static inline void shim_ssl_ctx_forbid_encrypt_then_mac(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_ENCRYPT_THEN_MAC);
}

static inline void shim_openssl_free(void *memory) {
    OPENSSL_free(memory);
}

// `highest` 0 means the newest version there is.
static inline int shim_ssl_ctx_prepare_client(SSL_CTX *context, int highest) {
    SSL_CTX_set_options(context, SSL_OP_LEGACY_SERVER_CONNECT);
    SSL_CTX_set_mode(context, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return shim_ssl_ctx_set_versions(context, TLS1_VERSION, highest);
}
