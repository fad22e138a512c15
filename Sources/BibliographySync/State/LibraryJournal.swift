import BibTeX
import JSON

/// The intent to give both sides of a library new bytes, noted before and removed after. A run that was cut off is finished by the
/// next one.
struct LibraryJournal {
    /// The SHA-256 of the host's file before, and as it is to be; nil: none.
    var hostBefore: String?
    var hostAfter: String
    /// The SHA-256 of the device's file before, and as it is to be; nil: none.
    var deviceBefore: String?
    var deviceAfter: String
    /// The SHA-256 of the state that is to be agreed on.
    var agreed: String
    /// The encoding in which that state was read if it does not say how it is encoded.
    var encoding: BibTeXEncoding?
    /// Whether the host's file has been replaced.
    var isHostDone = false

    /// What an open journal says of the two files as they are now.
    struct Recovery {
        /// The agreed state to merge with; nil: none.
        var base: [UInt8]?
        /// The encoding of that state if it does not say how it is encoded.
        var encoding: BibTeXEncoding?
        /// What the device's file counts as; nil: as it is.
        var device: [UInt8]?
    }

    private static func key(_ id: String) -> String { "journal-\(id)" }

    /// Values are kept by their digests, so that those of a new journal leave those of an open one alone.
    private static func key(_ id: String, _ digest: String) -> String { "journal-\(id)-\(digest.prefix(16))" }

    /// Notes the intent. The journal itself comes last: without it the other values mean nothing.
    ///
    /// - Parameter id: the library.
    /// - Parameter state: where it is noted.
    /// - Parameter agreed: the state that is to be agreed on.
    /// - Parameter before: the device's file; nil: there is none.
    /// - Parameter after: the device's file as it is to be.
    func begin(
        _ id: String, _ state: any BibliographyState, agreed: [UInt8], before: [UInt8]?, after: [UInt8]
    ) throws(BibliographySyncError) {
        try state.put(Self.key(id, self.agreed), agreed)
        if let deviceBefore, let before { try state.put(Self.key(id, deviceBefore), before) }
        try state.put(Self.key(id, deviceAfter), after)
        try note(id, state)
    }

    /// Notes how far it is.
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

    /// Removes it. Its values mean nothing then, and are swept away at the end of the run.
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

    /// What has to be known to go on; nil if nothing had been done.
    ///
    /// - Parameter id: the library.
    /// - Parameter state: where it is noted.
    /// - Parameter host: the SHA-256 of the host's file now; nil: there is none.
    /// - Parameter device: the SHA-256 of the device's file now; nil: there is none.
    func recovery(
        _ id: String, _ state: any BibliographyState, host: String?, device: String?
    ) throws(BibliographySyncError) -> Recovery? {
        guard host == hostAfter || isHostDone else { return nil }
        if device == deviceAfter || device == deviceBefore {
            // The device's file is as it is to be, or counts as that: the merge brings it there.
            return Recovery(
                base: try value(id, agreed, state), encoding: encoding,
                device: try value(id, deviceAfter, state))
        }
        // What the host has came of the device's former file, and so did what the device has.
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
