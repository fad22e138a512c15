import COpenSSL
import FoundationEssentials
import Platform

/// A SHA-256 (FIPS 180-4) that grows with the bytes it is given. Not thread-safe.
final class SHA256 {
    private let context: OpaquePointer?
    private var isGood: Bool

    init() {
        context = EVP_MD_CTX_new()
        isGood = context != nil && EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
    }

    deinit { EVP_MD_CTX_free(context) }

    func add(_ bytes: some ContiguousBytes) {
        bytes.withUnsafeBytes { bytes in
            isGood = isGood && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
        }
    }

    /// The digest in hexadecimal; nil when the library failed, which it does only without memory. Ends the digest.
    func finish() -> String? {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        guard isGood, EVP_DigestFinal_ex(context, &digest, &count) == 1, count == 32 else { return nil }
        isGood = false
        return Hex.text(digest)
    }

    /// The digest of a text.
    static func hexadecimal(_ text: String) -> String? {
        let digest = SHA256()
        digest.add(Array(text.utf8))
        return digest.finish()
    }
}
