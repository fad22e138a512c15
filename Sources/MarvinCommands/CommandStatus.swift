import Diagnostics

/// `status.xml`: the progress or the result of the running command.
package struct CommandStatus: Hashable, Sendable {
    /// The `code` attribute.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The number in the file.
        package let rawValue: Int

        /// Creates a code from its number. An unknown code is final and not a success.
        package init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The command is still running.
        package static let inProgress = Code(rawValue: -1)
        /// The complete command was carried out.
        package static let success = Code(rawValue: 0)
        /// The command was carried out, except for the items in the messages.
        package static let warnings = Code(rawValue: 1)
        /// The command was not carried out.
        package static let failure = Code(rawValue: 2)
        /// The user stopped the command in the app.
        package static let cancelled = Code(rawValue: 3)
    }

    /// The time when the app wrote the file. A change shows that the app is active.
    package var timestamp: CommandTimestamp
    /// The state of the command.
    package var code: Code
    /// The progress from 0 to 1; nil if it is missing or not a number.
    package var progress: Double?
    /// The messages of the app, by convention `[<file name>] <reason>`.
    package var messages: [String]

    /// Creates a status; `progress` is 0 to 1.
    package init(timestamp: CommandTimestamp, code: Code, progress: Double? = nil, messages: [String] = []) {
        self.timestamp = timestamp
        self.code = code
        self.progress = progress
        self.messages = messages
    }

    /// Whether the command has ended.
    package var isFinal: Bool { code != .inProgress }

    /// Reads the file. A `progress` outside 0 to 1 is limited to this range, and blank messages are omitted.
    ///
    /// - Throws: `.incomplete` for an empty or truncated file, which the app is still writing; `.missingValue` if the
    ///   code is missing or unreadable.
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

    /// Encodes the file.
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
