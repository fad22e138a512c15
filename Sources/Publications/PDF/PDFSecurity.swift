import Platform

/// The standard security handler with the empty user password (ISO 32000-1, 7.6.3, and 32000-2, 7.6.4).
///
/// Most encrypted files only forbid printing or copying, and open without a password.
struct PDFSecurity {
    enum Method {
        case none, rc4, aes128, aes256
    }

    /// The key of the file; nil if the empty password does not open it.
    let key: [UInt8]?
    let strings: Method
    let streams: Method
    /// Whether metadata streams are encrypted as well.
    let encryptsMetadata: Bool
    /// The reason why there is no key, as one sentence.
    let refusal: String?

    /// Reads the encryption dictionary. Its own strings are never encrypted.
    init(_ dictionary: [String: PDFObject], identifier: [UInt8]) {
        let version = dictionary["V"]?.integer ?? 0
        var encryptsMetadata = true
        if version >= 4, case .boolean(let value)? = dictionary["EncryptMetadata"] {
            encryptsMetadata = value
        }
        self.encryptsMetadata = encryptsMetadata
        let methods = Self.methods(dictionary, version: version)
        strings = methods?.strings ?? .none
        streams = methods?.streams ?? .none
        let key: [UInt8]?
        if dictionary["Filter"]?.name != "Standard" || methods == nil {
            key = nil
            refusal = "The file uses an unsupported kind of encryption."
        } else {
            let values = PDFPasswordValues(
                dictionary, identifier: identifier, version: version, encryptsMetadata: encryptsMetadata)
            key = values?.keyOfEmptyPassword()
            refusal =
                values == nil
                ? "The file's encryption dictionary is damaged."
                : key == nil ? "The file is encrypted with a password." : nil
        }
        self.key = key
    }

    /// Decrypts the bytes of a string or stream of an object.
    func decrypt(_ bytes: [UInt8], of reference: PDFReference, by method: Method) throws(PDFFault) -> [UInt8]
    {
        guard method != .none else { return bytes }
        guard let key else { throw .locked(refusal ?? "The file is encrypted.") }
        if method == .aes256 { return try cbc(bytes, key: key) }
        var seed = key
        for shift in [0, 8, 16] { seed.append(UInt8(truncatingIfNeeded: reference.number >> shift)) }
        for shift in [0, 8] { seed.append(UInt8(truncatingIfNeeded: reference.generation >> shift)) }
        if method == .aes128 { seed += Array("sAlT".utf8) }
        guard let digest = Digest.of(seed, .md5) else {
            throw .locked("The file's encryption needs MD5, which the system's library does not support.")
        }
        let objectKey = Array(digest.prefix(min(key.count + 5, 16)))
        return method == .aes128 ? try cbc(bytes, key: objectKey) : PDFCrypto.rc4(bytes, key: objectKey)
    }

    /// Decrypts CBC data. The first block is the initialization vector, and the last byte states the length of the
    /// padding. Drops an incomplete last block.
    private func cbc(_ bytes: [UInt8], key: [UInt8]) throws(PDFFault) -> [UInt8] {
        guard bytes.count >= 32 else { return [] }
        let vector = Array(bytes[0..<16])
        let body = Array(bytes[16..<bytes.count - bytes.count % 16])
        guard var plain = PDFCrypto.aes(body, key: key, vector: vector, encrypts: false) else {
            throw .malformed("Encrypted data cannot be decrypted.")
        }
        if bytes.count % 16 == 0, let padding = plain.last, (1...16).contains(padding) {
            plain.removeLast(min(Int(padding), plain.count))
        }
        return plain
    }

    /// The methods that encrypt strings and streams; nil if one is unknown.
    private static func methods(
        _ dictionary: [String: PDFObject], version: Int
    ) -> (strings: Method, streams: Method)? {
        if version == 1 || version == 2 { return (.rc4, .rc4) }
        guard version == 4 || version == 5 else { return nil }
        let filters = dictionary["CF"]?.dictionary ?? [:]
        func method(_ key: String) -> Method? {
            let name = dictionary[key]?.name ?? "Identity"
            if name == "Identity" { return Method.none }
            switch filters[name]?.dictionary?["CFM"]?.name {
            case "None": return Method.none
            case "V2": return .rc4
            case "AESV2": return .aes128
            case "AESV3": return .aes256
            default: return nil
            }
        }
        guard let strings = method("StrF"), let streams = method("StmF") else { return nil }
        return (strings, streams)
    }
}
