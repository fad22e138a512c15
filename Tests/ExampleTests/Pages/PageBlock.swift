import Foundation

/// A block of code on a page, with the use that follows its three backquotes.
enum PageBlock: Equatable {
    /// ` ```sh `: commands to run. ` ```sh needs=PROGRAM `: where there is this program.
    case commands(String, needs: String? = nil)
    /// ` ```text `, after commands: lines that they print, in this order. `…` stands for anything.
    case output([String])
    /// ` ```LANGUAGE file=PATH `: the whole file.
    case file(String, String)
    /// ` ```LANGUAGE file=PATH replace `: replaces the part that begins and ends with the same lines.
    case replacement(String, String)
    /// ` ```LANGUAGE file=PATH above=WORD `: is inserted above the definition with this name.
    case insertion(String, String, above: String)

    /// The blocks of a page that are tried, in order. Blocks of other kinds are only for reading.
    static func blocks(of page: String) -> [PageBlock] {
        var blocks: [PageBlock] = []
        var open: (info: String, lines: [String])?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("```") {
                if let done = open {
                    if let block = PageBlock(done.info, done.lines) { blocks.append(block) }
                    open = nil
                } else {
                    open = (String(line.dropFirst(3)), [])
                }
            } else {
                open?.lines.append(line)
            }
        }
        return blocks
    }

    private init?(_ info: String, _ lines: [String]) {
        let words = info.split(separator: " ").map(String.init)
        let text = lines.joined(separator: "\n") + "\n"
        switch words.first {
        case "sh":
            self = .commands(
                text, needs: words.first { $0.hasPrefix("needs=") }.map { String($0.dropFirst(6)) })
        case "text": self = .output(lines.filter { !$0.isEmpty })
        default:
            guard let file = words.first(where: { $0.hasPrefix("file=") })?.dropFirst(5) else { return nil }
            if words.contains("replace") {
                self = .replacement(String(file), text)
            } else if let above = words.first(where: { $0.hasPrefix("above=") })?.dropFirst(6) {
                self = .insertion(String(file), text, above: String(above))
            } else {
                self = .file(String(file), text)
            }
        }
    }
}
