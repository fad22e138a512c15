/// `status.xml`: how the running command is getting on, or how it ended.
package struct CommandStatus: Hashable, Sendable {
    /// The `code` attribute.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The number in the file.
        package let rawValue: Int

        /// A code by its number; an unknown one is final and no success.
        package init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The app is still at it.
        package static let inProgress = Code(rawValue: -1)
        /// Everything was done.
        package static let success = Code(rawValue: 0)
        /// Done, except for what the messages name.
        package static let warnings = Code(rawValue: 1)
        /// Nothing was done.
        package static let failure = Code(rawValue: 2)
        /// The user stopped the command in the app.
        package static let cancelled = Code(rawValue: 3)
    }

    /// When the app wrote the file; a change is a sign of life.
    package var timestamp: CommandTimestamp
    /// How the command stands.
    package var code: Code
    /// How much is done, 0 to 1; nil when the app does not say, or says something that is not a number.
    package var progress: Double?
    /// What the app has to say, by convention `[<file name>] <reason>`.
    package var messages: [String]

    /// A status as the app writes it; `progress` is 0 to 1.
    package init(timestamp: CommandTimestamp, code: Code, progress: Double? = nil, messages: [String] = []) {
        self.timestamp = timestamp
        self.code = code
        self.progress = progress
        self.messages = messages
    }

    /// True unless the app is still at it.
    package var isFinal: Bool { code != .inProgress }

    /// Reads the file; `progress` outside 0 to 1 is brought to the nearer end, blank messages are left out.
    ///
    /// - Throws: `.incomplete` for an empty or cut-off file, which the app is still writing; `.missingValue` when
    ///   the code is missing or unreadable.
    package init(decoding bytes: [UInt8]) throws(CommandReadError) {
        let subject = StagingFile.status
        let root = try CommandFileReader(limits: .status, subject: subject).read(bytes)
        guard root.name == "status" else {
            throw CommandReadError(
                .unexpectedRoot, "The root element is <\(root.name)> instead of <status>.", subject: subject)
        }
        guard let text = root.attributes["code"]?.trimmingXMLSpace(), let number = Int(text) else {
            throw CommandReadError(.missingValue, "The status has no code.", subject: subject)
        }
        timestamp = CommandTimestamp(text: root.attributes["timestamp"] ?? "")
        code = Code(rawValue: number)
        progress = root.first("progress").flatMap { Double($0.trimmedText) }.flatMap { value in
            value.isNaN ? nil : min(max(value, 0), 1)
        }
        messages = root.all("messages").flatMap { $0.all("message") }.map(\.trimmedText).filter {
            !$0.isEmpty
        }
    }

    /// The bytes of the file.
    package func encoded() -> [UInt8] {
        var writer = CommandFileWriter()
        writer.open("status", ["timestamp": timestamp.text, "code": String(code.rawValue)])
        if let progress { writer.element("progress", "\(progress)") }
        if !messages.isEmpty { writer.list("messages", of: "message", messages) }
        writer.close("status")
        writer.newLine()
        return writer.bytes
    }
}
