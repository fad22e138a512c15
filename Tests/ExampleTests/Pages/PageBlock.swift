import Foundation

/// A block of code of a page, by what follows its three backquotes: what a reader does with it.
enum PageBlock: Equatable {
    /// ` ```sh `: commands to run. ` ```sh needs=PROGRAM `: where there is this program.
    case commands(String, needs: String? = nil)
    /// ` ```text `, after commands: lines that they print, in this order. `…` stands for anything.
    case output([String])
    /// ` ```LANGUAGE file=PATH `: the whole file.
    case file(String, String)
    /// ` ```LANGUAGE file=PATH replace `: takes the place of the part that begins and ends with the same lines.
    case replacement(String, String)
    /// ` ```LANGUAGE file=PATH above=WORD `: goes above the definition of what has this name.
    case insertion(String, String, above: String)

    /// The blocks of a page that are to be tried, in order; blocks of other kinds are there to be read.
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
