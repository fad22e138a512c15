import Platform

/// The values that check a password and derive the file's key from it.
struct PDFPasswordValues {
    private let revision: Int
    private let keyLength: Int
    private let owner: [UInt8]
    private let user: [UInt8]
    private let userKey: [UInt8]
    private let permissions: Int
    private let identifier: [UInt8]
    private let encryptsMetadata: Bool

    /// Nil if a value is missing or invalid.
    init?(_ dictionary: [String: PDFObject], identifier: [UInt8], version: Int, encryptsMetadata: Bool) {
        guard let revision = dictionary["R"]?.integer, (2...6).contains(revision),
            let owner = dictionary["O"]?.string, let user = dictionary["U"]?.string,
            let permissions = dictionary["P"]?.integer
        else { return nil }
        let isModern = revision >= 5
        guard (version == 5) == isModern, owner.count >= (isModern ? 48 : 32),
            user.count >= (isModern ? 48 : 32)
        else { return nil }
        let bits =
            version == 1 || revision == 2
            ? 40
            : version == 4 ? 128 : dictionary["Length"]?.integer ?? 40
        // Some writers state the length in bytes instead of bits.
        let bytes = bits < 40 ? bits : bits / 8
        guard isModern || (5...16).contains(bytes) else { return nil }
        userKey = dictionary["UE"]?.string ?? []
        guard !isModern || userKey.count >= 32 else { return nil }
        self.revision = revision
        keyLength = bytes
        self.owner = owner
        self.user = user
        self.permissions = permissions
        self.identifier = identifier
        self.encryptsMetadata = encryptsMetadata
    }

    /// The key if the empty password opens the file.
    func keyOfEmptyPassword() -> [UInt8]? {
        revision >= 5 ? modernKey() : classicKey()
    }

    /// Algorithms 2, 4 and 5 of ISO 32000-1.
    private func classicKey() -> [UInt8]? {
        var seed = Self.padding + owner.prefix(32)
        for shift in [0, 8, 16, 24] { seed.append(UInt8(truncatingIfNeeded: permissions >> shift)) }
        seed += identifier
        if revision >= 4, !encryptsMetadata { seed += [0xFF, 0xFF, 0xFF, 0xFF] }
        guard var digest = Digest.of(seed, .md5) else { return nil }
        if revision >= 3 {
            for _ in 0..<50 {
                guard let next = Digest.of(Array(digest.prefix(keyLength)), .md5) else { return nil }
                digest = next
            }
        }
        let key = Array(digest.prefix(keyLength))
        if revision == 2 {
            return PDFCrypto.rc4(Self.padding, key: key) == Array(user.prefix(32)) ? key : nil
        }
        guard var check = Digest.of(Self.padding + identifier, .md5) else { return nil }
        for round in UInt8(0)..<20 { check = PDFCrypto.rc4(check, key: key.map { $0 ^ round }) }
        return check == Array(user.prefix(16)) ? key : nil
    }

    /// Algorithm 2.A of ISO 32000-2. Bytes 32 to 39 of U are the salt of the check, 40 to 47 that of the key.
    private func modernKey() -> [UInt8]? {
        guard hash(salt: user[32..<40]) == Array(user[0..<32]), let key = hash(salt: user[40..<48]) else {
            return nil
        }
        return PDFCrypto.aes(
            Array(userKey.prefix(32)), key: key, vector: [UInt8](repeating: 0, count: 16), encrypts: false)
    }

    /// Algorithm 2.B for the empty password. Revision 5, which Adobe used earlier, stops at the first digest.
    private func hash(salt: ArraySlice<UInt8>) -> [UInt8]? {
        guard var key = Digest.of(Array(salt), .sha256) else { return nil }
        guard revision >= 6 else { return key }
        var round = 0
        var last = 0
        while round < 64 || last > round - 32 {
            var text = key
            for _ in 0..<6 { text += text }
            guard
                let encrypted = PDFCrypto.aes(
                    text, key: Array(key[0..<16]), vector: Array(key[16..<32]), encrypts: true)
            else { return nil }
            let remainder = encrypted.prefix(16).reduce(0) { $0 + Int($1) } % 3
            let digest: Digest.Algorithm = remainder == 0 ? .sha256 : remainder == 1 ? .sha384 : .sha512
            guard let next = Digest.of(encrypted, digest) else { return nil }
            key = next
            last = Int(encrypted.last ?? 0)
            round += 1
        }
        return Array(key.prefix(32))
    }

    /// The padding that extends passwords to 32 bytes (algorithm 2, step a).
    private static let padding: [UInt8] = [
        0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08,
        0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
    ]
}
