/// `connected.xml`: whether the app is in its connection mode.
package struct ConnectionStatus: Hashable, Sendable {
    /// The app's readiness.
    package enum State: String, Hashable, Sendable {
        /// The app takes commands.
        case online
        /// The app is in the background or the device sleeps.
        case offline
    }

    /// When the app wrote the file.
    package var timestamp: CommandTimestamp
    /// The app's readiness.
    package var state: State
    /// The version of Marvin; nil in files of other apps.
    package var appVersion: String?
    /// The device's model identifier, for example `iPad2,5`.
    package var device: String?
    /// The version of iOS.
    package var system: String?
    /// Whether the app is protected by a password, which is when its locked books matter.
    package var hasPassword: Bool?

    /// A state with what the app says about itself.
    package init(
        timestamp: CommandTimestamp, state: State, appVersion: String? = nil, device: String? = nil,
        system: String? = nil, hasPassword: Bool? = nil
    ) {
        self.timestamp = timestamp
        self.state = state
        self.appVersion = appVersion
        self.device = device
        self.system = system
        self.hasPassword = hasPassword
    }

    /// Reads the file; a state this version does not know counts as offline.
    ///
    /// - Throws: `.incomplete` when the app is still writing it.
    package init(decoding bytes: [UInt8]) throws(CommandReadError) {
        let subject = StagingFile.connection
        let root = try CommandFileReader(limits: .status, subject: subject).read(bytes)
        guard root.name == "connection" else {
            throw CommandReadError(
                .unexpectedRoot, "The root element is <\(root.name)> instead of <connection>.",
                subject: subject)
        }
        guard let text = root.first("state")?.trimmedText.lowercased(), !text.isEmpty else {
            throw CommandReadError(
                .missingValue, "The file does not say whether the app is online.", subject: subject)
        }
        timestamp = CommandTimestamp(text: root.attributes["timestamp"] ?? "")
        state = State(rawValue: text) ?? .offline
        appVersion = root.attributes["marvin"]
        device = root.attributes["device"]
        system = root.attributes["system"]
        switch root.first("has_password")?.trimmedText.lowercased() {
        case "true": hasPassword = true
        case "false": hasPassword = false
        default: hasPassword = nil
        }
    }

    /// The bytes of the file.
    package func encoded() -> [UInt8] {
        var writer = CommandFileWriter()
        writer.open(
            "connection",
            ["timestamp": timestamp.text, "marvin": appVersion, "device": device, "system": system])
        writer.element("state", state.rawValue)
        if let hasPassword { writer.element("has_password", hasPassword ? "true" : "false") }
        writer.close("connection")
        writer.newLine()
        return writer.bytes
    }
}
