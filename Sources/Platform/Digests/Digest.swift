import COpenSSL
import Glibc

/// An incremental digest, computed by libcrypto. Not thread-safe.
package final class Digest {
    /// A digest algorithm.
    package enum Algorithm: CaseIterable, Sendable {
        /// RFC 1321, 16 bytes. Not secure; some formats and apps identify contents by it.
        case md5
        /// FIPS 180-4, 20 bytes. Not secure; UUIDs of version 5 are made with it.
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

    /// Creates an empty digest.
    package convenience init(_ algorithm: Algorithm) { self.init(method: Self.methods[algorithm]) }

    /// Creates an empty digest that uses a method of libcrypto; nil means that libcrypto does not have it.
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

    /// Adds the bytes of an open file from its current position to its end.
    ///
    /// - Parameter isCancelled: asked before each piece whether to stop.
    /// - Returns: 0, or the errno of the failure; ECANCELED if it was stopped.
    package func add(contentOf descriptor: Int32, isCancelled: () -> Bool) -> Int32 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        while !isCancelled() {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return errno }
            if count == 0 { return 0 }
            add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        return ECANCELED
    }

    /// Returns the digest; nil if libcrypto does not offer the algorithm or failed. The object cannot be used
    /// afterwards.
    package func finish() -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard isGood, EVP_DigestFinal_ex(context, &digest, &count) == 1 else { return nil }
        isGood = false
        return Array(digest.prefix(Int(count)))
    }

    /// The digest of bytes; nil if libcrypto does not offer the algorithm or failed.
    package static func of(_ bytes: UnsafeRawBufferPointer, _ algorithm: Algorithm) -> [UInt8]? {
        let digest = Digest(algorithm)
        digest.add(bytes)
        return digest.finish()
    }

    /// The digest of bytes; nil if libcrypto does not offer the algorithm or failed.
    package static func of(_ bytes: [UInt8], _ algorithm: Algorithm) -> [UInt8]? {
        bytes.withUnsafeBytes { of($0, algorithm) }
    }

    /// The digest of a text's UTF-8 in hexadecimal; nil if libcrypto does not offer the algorithm or failed.
    package static func text(of text: String, _ algorithm: Algorithm) -> String? {
        of(Array(text.utf8), algorithm).map { Hex.text($0) }
    }

    // They never change once they are made, and any thread may use a method of libcrypto.
    nonisolated(unsafe) private static let methods: [Algorithm: OpaquePointer] = {
        OpenSSLLibrary.prepare()
        // Digests identify contents here and do not protect secrets. A separate context is not affected by the
        // system's rules for the default one, such as a restriction to approved algorithms.
        guard let library = OSSL_LIB_CTX_new() else { return [:] }
        var methods: [Algorithm: OpaquePointer] = [:]
        for algorithm in Algorithm.allCases {
            methods[algorithm] = EVP_MD_fetch(library, algorithm.name, nil)
        }
        return methods
    }()
}

extension Digest.Algorithm {
    /// The algorithm's name in libcrypto.
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

/// Set-up that must happen once per process before OpenSSL is used.
package enum OpenSSLLibrary {
    /// Sets OpenSSL up on the first call; later calls do nothing.
    package static func prepare() { _ = prepared }

    private static let prepared: Void = {
        // At exit OpenSSL would free memory that running threads still use, and the program would crash. The system
        // reclaims the memory anyway.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }()
}
