/// An item that the app did not accept, from a status message of the form `[<file name>] <reason>`.
package struct Rejection: Hashable, Sendable {
    /// The name of the file; nil if the message does not contain one.
    package let fileName: String?
    /// The reason in the app's words; the complete message if it does not contain a file name.
    package let reason: String
    /// The message of the app, without surrounding white space.
    package let message: String

    /// Creates a rejection.
    package init(fileName: String?, reason: String) {
        self.init(fileName: fileName, reason: reason, message: fileName.map { "[\($0)] \(reason)" } ?? reason)
    }

    private init(fileName: String?, reason: String, message: String) {
        (self.fileName, self.reason, self.message) = (fileName, reason, message)
    }

    /// Parses a message.
    ///
    /// File names and reasons may contain brackets. A name in `fileNames` is recognized anywhere in brackets.
    /// Otherwise the message must begin with a bracket, and the name ends at the matching bracket or, if there is
    /// none, at the last bracket.
    ///
    /// - Parameter fileNames: the file names of the command, compared by their bytes.
    package init(message: String, fileNames: [String] = []) {
        let text = message.trimmingXMLSpace()
        guard let (name, reason) = Rejection.known(in: text, fileNames) ?? Rejection.leading(in: text) else {
            self.init(fileName: nil, reason: text, message: text)
            return
        }
        self.init(fileName: name, reason: reason.isEmpty ? text : reason, message: text)
    }

    private static func known(in text: String, _ fileNames: [String]) -> (String, String)? {
        guard !fileNames.isEmpty else { return nil }
        // Compare bytes: two names with different Unicode forms are different files.
        let known = Set(fileNames.map { Array($0.utf8) })
        // A malicious message may contain thousands of brackets. Names are short and near the beginning, so only
        // short parts of the first 4 KiB are compared.
        let lengths = Set(fileNames.map(\.utf8.count))
        let longest = lengths.max() ?? 0
        for open in text.utf8.indices.prefix(4096) where text.utf8[open] == UInt8(ascii: "[") {
            let start = text.utf8.index(after: open)
            let limit =
                text.utf8.index(start, offsetBy: longest + 1, limitedBy: text.endIndex) ?? text.endIndex
            var found: (String, String)?
            var length = 0
            for close in text.utf8[start..<limit].indices {
                defer { length += 1 }
                guard text.utf8[close] == UInt8(ascii: "]"), lengths.contains(length) else { continue }
                let name = String(text[start..<close])
                if known.contains(Array(name.utf8)) {
                    let after = String(text[text.utf8.index(after: close)...]).trimmingXMLSpace()
                    let before = String(text[..<open]).trimmingXMLSpace()
                    found = (name, before.isEmpty ? after : after.isEmpty ? before : before + " " + after)
                }
            }
            if let found { return found }
        }
        return nil
    }

    private static func leading(in text: String) -> (String, String)? {
        guard text.utf8.first == UInt8(ascii: "[") else { return nil }
        var depth = 0
        var end: String.Index?
        for index in text.utf8.indices {
            if text.utf8[index] == UInt8(ascii: "[") { depth += 1 }
            if text.utf8[index] == UInt8(ascii: "]") {
                depth -= 1
                end = index
                if depth == 0 { break }
            }
        }
        guard let end else { return nil }
        let name = String(text[text.utf8.index(after: text.startIndex)..<end]).trimmingXMLSpace()
        guard !name.isEmpty else { return nil }
        return (name, String(text[text.utf8.index(after: end)...]).trimmingXMLSpace())
    }
}
