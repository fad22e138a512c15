import COpenSSL

/// What the host shows to one device in TLS: the certificate and the key of its pair record.
///
/// All connections to the device share one, because its preparation takes longer than the rest of theirs.
final class TLSIdentity: @unchecked Sendable {
    // OpenSSL counts the references to a context atomically, and the context does not change after `use`, which is called by the
    // thread that has made it.
    let context: OpaquePointer

    /// Prepares encryption, without certificate and key: `use` adds them. Each takes longer than a device to answer, so that both
    /// can be done while it does.
    ///
    /// Throws `.tlsFailed` when encryption is not available.
    init() throws(TransportError) {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw Self.unusable }
        self.context = context
        // Pair records have SHA-1 signatures, and old devices know only old ciphers. The device shows a certificate that
        // the host made for it, and that no authority has signed, so it is not verified.
        SSL_CTX_set_security_level(context, 0)
    }

    /// Reads certificate and key, both in PEM. Devices before iOS 10 are only offered TLS 1.0.
    ///
    /// Throws `.tlsFailed` when they cannot be used.
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
            .tlsFailed, "The certificate of this computer's pair record cannot be used.",
            hint: TransportError.trustHint)
    }
}
