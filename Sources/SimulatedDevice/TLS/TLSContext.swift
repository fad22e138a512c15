import COpenSSL

/// The certificates of a device in TLS with one host: the one that the host created for the device, and those that
/// the device accepts from it.
final class TLSContext: @unchecked Sendable {
    // OpenSSL counts references to a context atomically, and the context does not change after `init`.
    let context: OpaquePointer

    /// - Parameters:
    ///   - key: the device's private key, in PEM.
    /// - certificate: the certificate for that key in the pair record, in PEM.
    /// - clients: the certificates that the device accepts, in PEM. The host must present one of them.
    init(key: [UInt8], certificate: [UInt8], clients: [[UInt8]]) throws {
        guard let context = SSL_CTX_new(TLS_server_method()) else {
            throw Certificates.failure("SSL_CTX_new")
        }
        self.context = context
        // Hosts choose TLS 1.0 for devices before iOS 10 and sign with SHA-1, so use security level 0 and versions
        // 1.0 to 1.2.
        SSL_CTX_set_security_level(context, 0)
        shim_ssl_ctx_set_versions(context, TLS1_VERSION, TLS1_2_VERSION)
        // iOS never supported this extension. It would also disable OpenSSL's fast path for the old ciphers.
        shim_ssl_ctx_forbid_encrypt_then_mac(context)
        guard SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0") == 1 else {
            throw Certificates.failure("SSL_CTX_set_cipher_list")
        }
        let certificate = try Certificates.certificate(pem: certificate)
        defer { X509_free(certificate) }
        let key = try Certificates.privateKey(pem: key)
        defer { EVP_PKEY_free(key) }
        guard SSL_CTX_use_certificate(context, certificate) == 1, SSL_CTX_use_PrivateKey(context, key) == 1,
            SSL_CTX_check_private_key(context) == 1
        else { throw Certificates.failure("SSL_CTX_use_certificate") }

        // Subjects and issuers are empty, so no chain can be built by name. Each certificate is its own trust anchor.
        let store = SSL_CTX_get_cert_store(context)
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        for pem in clients {
            let anchor = try Certificates.certificate(pem: pem)
            defer { X509_free(anchor) }
            guard X509_STORE_add_cert(store, anchor) == 1 else {
                throw Certificates.failure("X509_STORE_add_cert")
            }
        }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }

    deinit { SSL_CTX_free(context) }
}
