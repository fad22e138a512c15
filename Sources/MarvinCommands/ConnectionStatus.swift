import Diagnostics

/// `connected.xml`: whether the app is in its connection mode.
package struct ConnectionStatus: Hashable, Sendable {
    /// The app's readiness.
    package enum State: String, Hashable, Sendable {
        /// The app accepts commands.
        case online
        /// The app is in the background, or the device sleeps.
        case offline
    }

    /// The time when the app wrote the file.
    package var timestamp: CommandTimestamp
    /// The app's readiness.
    package var state: State
    /// The version of Marvin; nil in files of other apps.
    package var appVersion: String?
    /// The device's model identifier, for example `iPad2,5`.
    package var device: String?
    /// The version of iOS.
    package var system: String?
    /// Whether a password protects the app, so that locked books are relevant.
    package var hasPassword: Bool?

    /// Creates a status.
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

    /// Reads the file. An unknown state counts as offline.
    ///
    /// - Throws: `.incomplete` if the app is still writing the file.
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

    /// Encodes the file.
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
