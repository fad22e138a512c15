import COpenSSL

/// A SHA-256 that grows with the bytes it is given.
final class ContentDigest {
    private let context: OpaquePointer?
    private var isGood: Bool

    init() {
        context = EVP_MD_CTX_new()
        isGood = context != nil && EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
    }

    deinit { EVP_MD_CTX_free(context) }

    func add(_ bytes: UnsafeRawBufferPointer) {
        isGood = isGood && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
    }

    /// The digest; nil when OpenSSL failed. Ends the digest.
    func finish() -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        guard isGood, EVP_DigestFinal_ex(context, &digest, &count) == 1, count == 32 else { return nil }
        isGood = false
        return digest
    }
}
