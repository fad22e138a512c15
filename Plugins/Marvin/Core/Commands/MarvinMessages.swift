import BookFolders
import MarvinCommands

/// Marvin's messages about a command, in its own words.
struct MarvinMessages {
    /// The most messages that are shown, because a hostile app may send many, and rows repeat them.
    private static let mostMessages = 3
    private static let mostCharacters = 400

    private var byFile: [[UInt8]: String] = [:]
    /// The messages that do not concern a file of the command, each in quotation marks; nil if there are none.
    let general: String?

    /// - Parameter names: the names of the files in the command.
    init(_ outcome: CommandOutcome, about names: [String]) {
        // Marvin may spell a name differently from the command, as file systems do.
        let known = NameTable(names, by: { $0 })
        var said = outcome.rejections
        // After success, or if the command did not end, there are no rejections, but the messages may still be
        // useful.
        if said.isEmpty {
            said = (outcome.status?.messages ?? []).map { Rejection(message: $0, fileNames: names) }
        }
        var others: [String] = []
        for remark in said {
            guard let name = remark.fileName.flatMap({ known[$0] }) else {
                others.append(Self.shortened(remark.message))
                continue
            }
            if byFile[name.bytes] == nil { byFile[name.bytes] = Self.shortened(remark.reason) }
        }
        let shown = others.prefix(Self.mostMessages).map(Self.quoted).joined(separator: ", ")
        let rest = others.count - Self.mostMessages
        general =
            shown.isEmpty ? nil : rest > 0 ? "\(shown) and \(rest) more messages." : shown
    }

    private static func shortened(_ text: String) -> String {
        text.count > mostCharacters ? text.prefix(mostCharacters) + "…" : text
    }

    private static func quoted(_ text: String) -> String { "'\(text)'" }

    /// The message about one file; nil if there is none.
    func about(_ name: String) -> String? { byFile[name.bytes] }

    /// What the user should know about a file that succeeded; nil if there is nothing.
    func note(_ name: String) -> String? {
        let said = [about(name).map(Self.quoted), general].compactMap { $0 }
        return said.isEmpty ? nil : "Marvin reports: " + said.joined(separator: ", ")
    }
}
