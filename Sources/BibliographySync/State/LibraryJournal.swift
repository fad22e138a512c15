import BibTeX
import JSON

/// The intent to write both sides of a library, recorded before and removed afterwards. If a run is interrupted, the
/// next one finishes the work.
struct LibraryJournal {
    /// The SHA-256 of the host's file before and after; nil for no file.
    var hostBefore: String?
    var hostAfter: String
    /// The SHA-256 of the device's file before and after; nil for no file.
    var deviceBefore: String?
    var deviceAfter: String
    /// The SHA-256 of the new agreed state.
    var agreed: String
    /// The encoding in which that state was read, if it does not name its encoding.
    var encoding: BibTeXEncoding?
    /// Whether the host's file has been replaced.
    var isHostDone = false

    /// How to continue after an interruption, judged by an open journal and the present files.
    struct Recovery {
        /// The agreed state to merge with, if any.
        var base: [UInt8]?
        /// The encoding of that state, if it does not name its encoding.
        var encoding: BibTeXEncoding?
        /// The bytes to treat as the device's file; nil means its actual content.
        var device: [UInt8]?
    }

    private static func key(_ id: String) -> String { "journal-\(id)" }

    /// Values are stored by their digests, so that a new journal does not overwrite the values of an open one.
    private static func key(_ id: String, _ digest: String) -> String { "journal-\(id)-\(digest.prefix(16))" }

    /// Records the intent. The journal itself is written last, because the other values are ignored without it.
    ///
    /// - Parameter id: the identifier of the library.
    /// - Parameter state: where to record it.
    /// - Parameter agreed: the new agreed state.
    /// - Parameter before: the device's present file, if any.
    /// - Parameter after: the device's new file.
    func begin(
        _ id: String, _ state: any BibliographyState, agreed: [UInt8], before: [UInt8]?, after: [UInt8]
    ) throws(BibliographySyncError) {
        try state.put(Self.key(id, self.agreed), agreed)
        if let deviceBefore, let before { try state.put(Self.key(id, deviceBefore), before) }
        try state.put(Self.key(id, deviceAfter), after)
        try note(id, state)
    }

    /// Records the progress.
    func note(_ id: String, _ state: any BibliographyState) throws(BibliographySyncError) {
        var object = JSONObject()
        if let hostBefore { object["host_before"] = .string(hostBefore) }
        object["host_after"] = .string(hostAfter)
        if let deviceBefore { object["device_before"] = .string(deviceBefore) }
        object["device_after"] = .string(deviceAfter)
        object["agreed"] = .string(agreed)
        if let encoding { object["encoding"] = .string(encoding.rawValue) }
        if isHostDone { object["host_done"] = .bool(true) }
        try state.put(Self.key(id), Array(JSONValue.object(object).text().utf8))
    }

    /// Removes the journal. Its values are then ignored, and are removed at the end of the run.
    static func end(_ id: String, _ state: any BibliographyState) throws(BibliographySyncError) {
        try state.remove(key(id))
    }

    /// The open journal of a library; nil if there is none.
    static func open(_ id: String, _ state: any BibliographyState) throws(BibliographySyncError)
        -> LibraryJournal?
    {
        guard let bytes = try state.get(Self.key(id)) else { return nil }
        let value: JSONValue
        do { value = try JSONValue(parsing: bytes) } catch {
            throw BibliographySyncError(
                .damagedState, "The journal of the last sync cannot be read.", subject: Self.key(id),
                underlying: error)
        }
        guard let object = value.object, let hostAfter = object["host_after"]?.string,
            let deviceAfter = object["device_after"]?.string, let agreed = object["agreed"]?.string
        else { return nil }
        return LibraryJournal(
            hostBefore: object["host_before"]?.string, hostAfter: hostAfter,
            deviceBefore: object["device_before"]?.string, deviceAfter: deviceAfter, agreed: agreed,
            encoding: object["encoding"]?.string.flatMap(BibTeXEncoding.init(rawValue:)),
            isHostDone: object["host_done"]?.bool ?? false)
    }

    /// The values that are needed to continue; nil if the interrupted run had not changed anything.
    ///
    /// - Parameter id: the identifier of the library.
    /// - Parameter state: where the journal is recorded.
    /// - Parameter host: the SHA-256 of the host's present file; nil if there is none.
    /// - Parameter device: the SHA-256 of the device's present file; nil if there is none.
    func recovery(
        _ id: String, _ state: any BibliographyState, host: String?, device: String?
    ) throws(BibliographySyncError) -> Recovery? {
        guard host == hostAfter || isHostDone else { return nil }
        if device == deviceAfter || device == deviceBefore {
            // The device's file is already the new file, or it counts as the new file because the merge produces it.
            return Recovery(
                base: try value(id, agreed, state), encoding: encoding,
                device: try value(id, deviceAfter, state))
        }
        // The host's file was made from the device's earlier file, and so was the device's present file.
        guard let deviceBefore else { return Recovery() }
        return Recovery(base: try value(id, deviceBefore, state))
    }

    private func value(
        _ id: String, _ digest: String, _ state: any BibliographyState
    ) throws(BibliographySyncError) -> [UInt8]? {
        guard let bytes = try state.get(Self.key(id, digest)), ContentDigest.text(bytes) == digest else {
            return nil
        }
        return bytes
    }
}
