import COpenSSL

/// What has to be settled once per process before OpenSSL is used.
package enum OpenSSLLibrary {
    /// Does it at the first call; later calls cost nothing.
    package static func prepare() { _ = prepared }

    private static let prepared: Void = {
        // At exit OpenSSL would free what threads that still run are using, and they would end the program with a fault. The
        // system takes the memory back anyway.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }()
}
