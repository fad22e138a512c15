import BookFolders
import CommandProtocol

/// What Marvin said about a command, in its own words.
struct MarvinMessages {
    /// A hostile app may say much; rows repeat it.
    private static let mostMessages = 3
    private static let mostCharacters = 400

    private var byFile: [[UInt8]: String] = [:]
    /// What is about no file of the command, each message in quotation marks; nil when there is nothing of that kind.
    let general: String?

    /// - Parameter names: the names of the files that the command was about.
    init(_ outcome: CommandOutcome, about names: [String]) {
        // Marvin may spell a name in another way than the command did, as a file system does.
        let known = NameTable(names, by: { $0 })
        var said = outcome.rejections
        // A success, and a command that did not end, has no rejections, but its messages may be worth reading.
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

    private static func quoted(_ text: String) -> String { "“\(text)”" }

    /// What was said about one file; nil when there is nothing.
    func about(_ name: String) -> String? { byFile[name.bytes] }

    /// What the person should know about a file that all went well with; nil when there is nothing.
    func note(_ name: String) -> String? {
        let said = [about(name).map(Self.quoted), general].compactMap { $0 }
        return said.isEmpty ? nil : "Marvin reports: " + said.joined(separator: ", ")
    }
}
