/// Decrypts encrypted files.
extension PDFFile {
    /// Determines whether and how the file is encrypted.
    func unlock() throws(PDFFault) {
        guard let entry = trailer["Encrypt"], entry != .null else { return }
        let dictionary: [String: PDFObject]
        var identifier: [UInt8] = []
        do {
            var entries = try resolve(entry).dictionary ?? [:]
            for (key, value) in entries where key != "CF" { entries[key] = try resolve(value) }
            dictionary = entries
            identifier = try resolve(try resolve(trailer["ID"]).array?.first).string ?? []
        } catch {
            if case .source = error { throw error }
            security = PDFSecurity([:], identifier: [])
            return
        }
        security = PDFSecurity(dictionary, identifier: identifier)
        forget()
    }

    /// The object with its strings decrypted. If the file cannot be decrypted, its strings become null.
    ///
    /// Do not pass objects of object streams: only the stream as a whole is encrypted.
    func decrypt(_ object: PDFObject, of reference: PDFReference) throws(PDFFault) -> PDFObject {
        guard let security, security.strings != .none || security.key == nil else { return object }
        if case .reference(let own)? = trailer["Encrypt"], own.number == reference.number { return object }
        return try decryptStrings(object, of: reference, security)
    }

    private func decryptStrings(
        _ object: PDFObject, of reference: PDFReference, _ security: PDFSecurity
    ) throws(PDFFault) -> PDFObject {
        switch object {
        case .string(let bytes):
            guard security.key != nil else { return .null }
            return .string(try security.decrypt(bytes, of: reference, by: security.strings))
        case .array(let values):
            var result: [PDFObject] = []
            result.reserveCapacity(values.count)
            for value in values { result.append(try decryptStrings(value, of: reference, security)) }
            return .array(result)
        case .dictionary(let entries):
            return .dictionary(try decryptEntries(entries, of: reference, security))
        case .stream(var stream):
            stream.dictionary = try decryptEntries(stream.dictionary, of: reference, security)
            return .stream(stream)
        case .null, .boolean, .integer, .real, .name, .reference:
            return object
        }
    }

    private func decryptEntries(
        _ entries: [String: PDFObject], of reference: PDFReference, _ security: PDFSecurity
    ) throws(PDFFault) -> [String: PDFObject] {
        var result = entries
        for (key, value) in entries { result[key] = try decryptStrings(value, of: reference, security) }
        return result
    }

    /// Decrypts the data of a stream, unless streams of its kind are never encrypted.
    func decrypt(_ bytes: [UInt8], of stream: PDFStream) throws(PDFFault) -> [UInt8] {
        guard let security else { return bytes }
        let type = stream.dictionary["Type"]?.name
        if type == "XRef" || type == "Metadata" && !security.encryptsMetadata { return bytes }
        if let names = stream.dictionary["Filter"]?.array ?? stream.dictionary["Filter"].map({ [$0] }),
            let index = names.firstIndex(of: .name("Crypt")), isIdentity(stream, index)
        {
            return bytes
        }
        if security.key == nil { throw .locked(security.refusal ?? "The file is encrypted.") }
        return try security.decrypt(bytes, of: stream.reference, by: security.streams)
    }

    /// Whether a `Crypt` filter uses the identity method, which leaves the data unencrypted (7.4.10).
    private func isIdentity(_ stream: PDFStream, _ index: Int) -> Bool {
        let parameters = stream.dictionary["DecodeParms"]
        let own = parameters?.array.flatMap { index < $0.count ? $0[index] : nil } ?? parameters
        return (own?.dictionary?["Name"]?.name ?? "Identity") == "Identity"
    }
}
