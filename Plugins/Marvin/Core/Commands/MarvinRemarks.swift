import CommandProtocol

/// What Marvin said about a command, apart from its code.
struct MarvinRemarks {
    /// A hostile app may say much; rows repeat it.
    private static let mostMessages = 3
    private static let mostCharacters = 400

    private var byFile: [[UInt8]: String] = [:]
    /// What is about no file of the command, as sentences; nil when there is nothing of that kind.
    let general: String?

    /// - Parameter names: the names of the files that the command was about.
    init(_ outcome: CommandOutcome, about names: [String]) {
        let known = Set(names.map(\.bytes))
        var said = outcome.rejections
        // Of a success, and of a command that did not end, there are no rejections; still it may be worth reading.
        if said.isEmpty {
            said = (outcome.status?.messages ?? []).map { Rejection(message: $0, fileNames: names) }
        }
        var others: [String] = []
        for remark in said {
            guard let name = remark.fileName, known.contains(name.bytes) else {
                let prefix = remark.fileName.map { $0 + ": " } ?? ""
                others.append((prefix + remark.reason.prefix(Self.mostCharacters)).sentence)
                continue
            }
            if byFile[name.bytes] == nil {
                byFile[name.bytes] = String(remark.reason.prefix(Self.mostCharacters))
            }
        }
        let rest = others.count - Self.mostMessages
        let shown = others.prefix(Self.mostMessages) + (rest > 0 ? ["There are \(rest) more messages."] : [])
        general = shown.isEmpty ? nil : shown.joined(separator: " ")
    }

    /// What was said about one file; nil when there is nothing.
    func about(_ name: String) -> String? { byFile[name.bytes] }

    /// What the person should know about a file that all went well with; nil when there is nothing.
    func note(_ name: String) -> String? {
        let said = [about(name)?.sentence, general].compactMap { $0 }
        return said.isEmpty ? nil : "Marvin says: " + said.joined(separator: " ")
    }
}
