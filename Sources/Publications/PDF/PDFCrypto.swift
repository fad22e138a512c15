import COpenSSL
import Platform

/// The ciphers that encrypted files need.
enum PDFCrypto {
    /// Runs AES in CBC mode without padding. The input must be whole blocks and the key 16 or 32 bytes long. Nil if
    /// libcrypto fails.
    static func aes(_ bytes: [UInt8], key: [UInt8], vector: [UInt8], encrypts: Bool) -> [UInt8]? {
        OpenSSLLibrary.prepare()
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

    /// The RC4 stream cipher. libcrypto has it only in a provider that some systems do not install.
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
}
