import COpenSSL

/// The certificate and the key of a pair record, which the host presents to one device in TLS.
///
/// All connections to the device share one identity, because preparing it takes longer than the rest of a connection.
final class TLSIdentity: @unchecked Sendable {
    // OpenSSL counts references to a context atomically. The context does not change after `use`, which is called by
    // the thread that created it.
    let context: OpaquePointer

    /// Prepares encryption without a certificate and a key, which `use` adds. Each step takes longer than the device
    /// needs to answer, so both can be done while waiting for answers.
    ///
    /// Throws `.tlsFailed` if encryption is not available.
    init() throws(TransportError) {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw Self.unusable }
        self.context = context
        // Pair records have SHA-1 signatures, and old devices support only old ciphers. The device presents a
        // certificate that the host made for it and that no authority has signed, so it is not verified.
        SSL_CTX_set_security_level(context, 0)
    }

    /// Reads the certificate and the key, both in PEM. For devices before iOS 10, only TLS 1.0 is offered.
    ///
    /// Throws `.tlsFailed` if they cannot be used.
    func use(certificate: [UInt8], key: [UInt8], isBeforeIOS10: Bool) throws(TransportError) {
        ERR_clear_error()
        guard shim_ssl_ctx_prepare_client(context, isBeforeIOS10 ? TLS1_VERSION : 0) == 1,
            Self.withText(
                certificate,
                { text in
                    let certificate = PEM_read_bio_X509(text, nil, nil, nil)
                    defer { X509_free(certificate) }
                    return certificate != nil && SSL_CTX_use_certificate(context, certificate) == 1
                }),
            Self.withText(
                key,
                { text in
                    let key = PEM_read_bio_PrivateKey(text, nil, nil, nil)
                    defer { EVP_PKEY_free(key) }
                    return key != nil && SSL_CTX_use_PrivateKey(context, key) == 1
                })
        else { throw Self.unusable }
    }

    deinit { SSL_CTX_free(context) }

    private static func withText(_ bytes: [UInt8], _ body: (OpaquePointer) -> Bool) -> Bool {
        bytes.withUnsafeBytes { bytes in
            guard let text = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return false
            }
            defer { BIO_free(text) }
            return body(text)
        }
    }

    private static var unusable: TransportError {
        TransportError(
            .tlsFailed, "Cannot use the certificate in this computer's pair record.",
            hint: TransportError.trustHint)
    }
}
