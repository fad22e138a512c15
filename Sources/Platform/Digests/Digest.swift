import COpenSSL

/// A digest that libcrypto computes and that grows with the bytes it is given. Not thread-safe.
package final class Digest {
    /// How the digest is computed.
    package enum Algorithm: CaseIterable, Sendable {
        /// RFC 1321. It protects nothing; formats and apps name contents by it.
        case md5
        /// FIPS 180-4, 20 bytes. It protects nothing; UUIDs of version 5 are made with it.
        case sha1
        /// FIPS 180-4, 32 bytes.
        case sha256
        /// FIPS 180-4, 48 bytes.
        case sha384
        /// FIPS 180-4, 64 bytes.
        case sha512
    }

    private let context: OpaquePointer?
    private var isGood: Bool

    /// An empty digest.
    package convenience init(_ algorithm: Algorithm) { self.init(method: Self.methods[algorithm]) }

    /// An empty digest by a method of libcrypto; nil: libcrypto has none.
    init(method: OpaquePointer?) {
        context = EVP_MD_CTX_new()
        isGood = context != nil && method != nil && EVP_DigestInit_ex(context, method, nil) == 1
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds bytes.
    package func add(_ bytes: UnsafeRawBufferPointer) {
        isGood = isGood && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
    }

    /// Adds bytes.
    package func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

    /// The digest; nil when libcrypto does not offer the algorithm or failed. Ends the digest.
    package func finish() -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard isGood, EVP_DigestFinal_ex(context, &digest, &count) == 1 else { return nil }
        isGood = false
        return Array(digest.prefix(Int(count)))
    }

    /// The digest of bytes; nil when libcrypto does not offer the algorithm or failed.
    package static func of(_ bytes: UnsafeRawBufferPointer, _ algorithm: Algorithm) -> [UInt8]? {
        let digest = Digest(algorithm)
        digest.add(bytes)
        return digest.finish()
    }

    /// The digest of bytes; nil when libcrypto does not offer the algorithm or failed.
    package static func of(_ bytes: [UInt8], _ algorithm: Algorithm) -> [UInt8]? {
        bytes.withUnsafeBytes { of($0, algorithm) }
    }

    /// The digest of a text's UTF-8 in hexadecimal; nil when libcrypto does not offer the algorithm or failed.
    package static func text(of text: String, _ algorithm: Algorithm) -> String? {
        of(Array(text.utf8), algorithm).map { Hex.text($0) }
    }

    // Nothing changes them once they are there, and any thread may use a method of libcrypto.
    nonisolated(unsafe) private static let methods: [Algorithm: OpaquePointer] = {
        OpenSSLLibrary.prepare()
        // Digests name contents here and guard no secret. The rules that a system's configuration sets for the default
        // context, such as approved algorithms only, do not bear on a context of our own.
        guard let library = OSSL_LIB_CTX_new() else { return [:] }
        var methods: [Algorithm: OpaquePointer] = [:]
        for algorithm in Algorithm.allCases {
            methods[algorithm] = EVP_MD_fetch(library, algorithm.name, nil)
        }
        return methods
    }()
}

extension Digest.Algorithm {
    /// The name by which libcrypto knows it.
    fileprivate var name: String {
        switch self {
        case .md5: "MD5"
        case .sha1: "SHA1"
        case .sha256: "SHA2-256"
        case .sha384: "SHA2-384"
        case .sha512: "SHA2-512"
        }
    }
}

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
