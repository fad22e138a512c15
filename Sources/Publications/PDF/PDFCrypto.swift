import COpenSSL

/// The primitives that encrypted files need; each gives nil when libcrypto refuses.
enum PDFCrypto {
    enum Digest {
        case md5, sha256, sha384, sha512
    }

    static func digest(_ digest: Digest, _ bytes: [UInt8]) -> [UInt8]? {
        prepare()
        let type =
            switch digest {
            case .md5: EVP_md5()
            case .sha256: EVP_sha256()
            case .sha384: EVP_sha384()
            case .sha512: EVP_sha512()
            }
        var result = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_Digest(bytes, bytes.count, &result, &count, type, nil) == 1 else { return nil }
        return Array(result.prefix(Int(count)))
    }

    /// AES in CBC mode without padding; the input is whole blocks, the key 16 or 32 bytes long.
    static func aes(_ bytes: [UInt8], key: [UInt8], vector: [UInt8], encrypts: Bool) -> [UInt8]? {
        prepare()
        guard bytes.count % 16 == 0, bytes.count <= Int(Int32.max) - 32, vector.count == 16,
            key.count == 16 || key.count == 32
        else { return nil }
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        let cipher = key.count == 16 ? EVP_aes_128_cbc() : EVP_aes_256_cbc()
        guard EVP_CipherInit_ex(context, cipher, nil, key, vector, encrypts ? 1 : 0) == 1,
            EVP_CIPHER_CTX_set_padding(context, 0) == 1
        else { return nil }
        var result = [UInt8](repeating: 0, count: bytes.count + 32)
        var count: Int32 = 0
        guard EVP_CipherUpdate(context, &result, &count, bytes, Int32(bytes.count)) == 1 else { return nil }
        return Array(result.prefix(Int(count)))
    }

    /// The RC4 stream cipher, which libcrypto offers only in a provider that systems may leave out.
    static func rc4(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        guard !key.isEmpty else { return bytes }
        var state = Array(UInt8.min...UInt8.max)
        var second = 0
        for first in 0..<256 {
            second = (second + Int(state[first]) + Int(key[first % key.count])) & 0xFF
            state.swapAt(first, second)
        }
        var result = bytes
        var first = 0
        second = 0
        for index in result.indices {
            first = (first + 1) & 0xFF
            second = (second + Int(state[first])) & 0xFF
            state.swapAt(first, second)
            result[index] ^= state[(Int(state[first]) + Int(state[second])) & 0xFF]
        }
        return result
    }

    /// At exit OpenSSL would free what other threads may still be using; the system takes the memory back anyway.
    private static func prepare() { _ = prepared }

    private static let prepared: Void = { OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }()
}
