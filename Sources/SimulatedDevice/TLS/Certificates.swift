import Diagnostics
import COpenSSL
import Synchronization

/// Creates the keys and certificates that pairing uses: 2048-bit RSA, version 3, empty subject and issuer, valid for
/// ten years.
enum Certificates {
    /// A new private key, as PKCS#8 in PEM.
    static func newKey() throws -> [UInt8] {
        let generator = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
        defer { EVP_PKEY_CTX_free(generator) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(generator) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(generator, 2048) == 1,
            EVP_PKEY_keygen(generator, &key) == 1
        else { throw failure("EVP_PKEY_keygen") }
        defer { EVP_PKEY_free(key) }
        return try text { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }

    /// The public half of a private key, as PKCS#1 in PEM, which is the form of lockdownd's `DevicePublicKey`.
    static func publicKey(ofPrivateKey pem: [UInt8]) throws -> [UInt8] {
        let key = try privateKey(pem: pem)
        defer { EVP_PKEY_free(key) }
        var der: UnsafeMutablePointer<UInt8>?
        let length = i2d_PublicKey(key, &der)
        guard length > 0, let der else { throw failure("i2d_PublicKey") }
        defer { shim_openssl_free(der) }
        return try text { PEM_write_bio($0, "RSA PUBLIC KEY", "", der, Int(length)) }
    }

    /// A certificate in PEM for the public half of `subject`, signed with `issuer`; both are private keys in PEM.
    static func certificate(for subject: [UInt8], signedBy issuer: [UInt8], isAuthority: Bool) throws
        -> [UInt8]
    {
        let key = try privateKey(pem: subject)
        defer { EVP_PKEY_free(key) }
        let signer = try privateKey(pem: issuer)
        defer { EVP_PKEY_free(signer) }
        let certificate = X509_new()
        defer { X509_free(certificate) }
        let tenYears = 10 * 365 * 24 * 3600
        guard X509_set_version(certificate, 2) == 1,
            ASN1_INTEGER_set(X509_get_serialNumber(certificate), 0) == 1,
            X509_gmtime_adj(X509_getm_notBefore(certificate), -24 * 3600) != nil,
            X509_gmtime_adj(X509_getm_notAfter(certificate), tenYears) != nil,
            X509_set_pubkey(certificate, key) == 1,
            add(
                NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE", to: certificate
            ),
            isAuthority || add(NID_key_usage, "critical,digitalSignature,keyEncipherment", to: certificate),
            X509_sign(certificate, signer, EVP_sha256()) > 0
        else { throw failure("X509_sign") }
        return try text { PEM_write_bio_X509($0, certificate) }
    }

    /// Parses a certificate; the caller frees it with `X509_free`.
    static func certificate(pem: [UInt8]) throws -> OpaquePointer {
        let certificate = reading(pem) { PEM_read_bio_X509($0, nil, nil, nil) }
        guard let certificate else { throw failure("PEM_read_bio_X509") }
        return certificate
    }

    /// Parses a private key; the caller frees it with `EVP_PKEY_free`.
    static func privateKey(pem: [UInt8]) throws -> OpaquePointer {
        let key = reading(pem) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
        guard let key else { throw failure("PEM_read_bio_PrivateKey") }
        return key
    }

    /// An error with the oldest OpenSSL error of this thread.
    static func failure(_ call: String) -> SimulationError {
        let code = ERR_get_error()
        let reason = ERR_reason_error_string(code).map { String(cString: $0) } ?? "it gives no reason"
        ERR_clear_error()
        return SimulationError(.cryptography, "\(call) of OpenSSL failed: \(reason).")
    }

    private static func reading<Result>(_ pem: [UInt8], _ read: (OpaquePointer?) -> Result?) -> Result? {
        guard let length = Int32(exactly: pem.count) else { return nil }
        return pem.withUnsafeBytes { bytes in
            let source = BIO_new_mem_buf(bytes.baseAddress, length)
            defer { BIO_free(source) }
            return read(source)
        }
    }

    private static func text(_ write: (OpaquePointer?) -> Int32) throws -> [UInt8] {
        let sink = BIO_new(BIO_s_mem())
        defer { BIO_free(sink) }
        guard write(sink) > 0 else { throw failure("PEM_write_bio") }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = BIO_read(sink, &piece, Int32(piece.count))
            guard count > 0 else { return bytes }
            bytes += piece.prefix(Int(count))
        }
    }

    private static func add(_ kind: Int32, _ value: String, to certificate: OpaquePointer?) -> Bool {
        guard let part = X509V3_EXT_conf_nid(nil, nil, kind, value) else { return false }
        defer { X509_EXTENSION_free(part) }
        return X509_add_ext(certificate, part, -1) == 1
    }
}

/// Private keys that are generated once per process, because generating one takes a tenth of a second.
///
/// All simulated devices of a process share a device key, and the hosts they trust share a host key, unless a folder
/// already has other keys. No secret depends on these keys.
enum GeneratedKeys {
    private static let deviceKey = Mutex<[UInt8]?>(nil)
    private static let hostKey = Mutex<[UInt8]?>(nil)

    /// The key of devices, in PEM.
    static func device() throws -> [UInt8] { try deviceKey.withLock { try made(&$0) } }

    /// The host's own key, in PEM. It also signs certificates; a real host has a second key for that.
    static func host() throws -> [UInt8] { try hostKey.withLock { try made(&$0) } }

    private static func made(_ key: inout [UInt8]?) throws -> [UInt8] {
        if let key { return key }
        let new = try Certificates.newKey()
        key = new
        return new
    }
}
