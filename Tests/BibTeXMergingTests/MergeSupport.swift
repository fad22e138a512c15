import BibTeX
import BibTeXMerging

/// Parses a text as a document.
func library(_ text: String) -> BibTeXDocument { BibTeXDocument(Array(text.utf8)) }

/// A merge of three texts, and its result as text.
struct Merged {
    let merge: BibTeXMerge
    let text: String

    init(_ base: String?, _ host: String, _ device: String) {
        merge = BibTeXMerge(base: base.map(library), host: library(host), device: library(device))
        text = String(decoding: merge.document.bytes, as: UTF8.self)
    }

    var conflicts: [MergeConflict.Subject] { merge.report.conflicts.map(\.subject) }

    /// The fields of an entry as `name=value`, in order.
    func fields(_ key: String) -> [String] {
        guard let block = merge.document.blocks.first(where: { $0.key == key }) else { return [] }
        return block.fields.map { "\(block.name(of: $0))=\(block.value(of: $0).written)" }
    }

    var keys: [String] { merge.document.blocks.compactMap(\.key) }
    var groups: [String] { merge.document.groups.map { "\($0.name): \($0.keys.joined(separator: " "))" } }
}

/// The content of a library, without order and layout.
struct Meaning: Hashable {
    var entries: [String]
    var macros: [String]
    var groups: [String]
    var others: [String]

    init(_ document: BibTeXDocument) {
        entries = []
        macros = []
        others = []
        for block in document.blocks {
            switch block.kind {
            case .entry, .info:
                let fields = Set(block.fields.map(block.name)).compactMap { name -> String? in
                    guard let value = block.value(name)?.canonical(), !value.isEmpty, !name.hasPrefix("bdsk-")
                    else { return nil }
                    return "\(name)=\(value.written)"
                }
                let files = block.linkedFiles.compactMap(\.normalizedPath).joined(separator: ";")
                let body = fields.sorted().joined(separator: ",")
                entries.append("@\(block.type) \(block.key?.lowercased() ?? "") \(body) \(files)")
            case .string:
                for field in block.fields {
                    macros.append("\(block.name(of: field))=\(block.value(of: field).canonical().written)")
                }
            case .preamble: others.append(block.text(block.content))
            case .comment: if GroupBlock(block) == nil { others.append(block.text(block.content)) }
            case .text: break
            }
        }
        entries.sort()
        macros.sort()
        others.sort()
        groups = document.groups.map { group in
            let conditions = group.conditions.map { "\($0.key)\($0.comparison ?? -1)\($0.value)" }
            return "\(group.kind) \(group.name) \(group.keys.map { $0.lowercased() }.sorted()) \(conditions)"
        }.sorted()
    }
}

/// Blocks of groups as BibDesk writes them.
enum GroupText {
    static func fixed(_ groups: [(String, String)]) -> String {
        block("Static", groups.map { ["group name": $0.0, "keys": $0.1] })
    }

    static func url(_ groups: [(String, String)]) -> String {
        block("URL", groups.map { ["group name": $0.0, "URL": $0.1] })
    }

    static func smart(_ groups: [(String, String)]) -> String {
        let rows = groups.map { name, value in
            "<dict><key>group name</key><string>\(name)</string><key>conditions</key><array><dict><key>key</key>"
                + "<string>Title</string><key>comparison</key><integer>2</integer><key>value</key><string>\(value)</string>"
                + "</dict></array></dict>"
        }
        return
            "@comment{BibDesk Smart Groups{\n<plist version=\"1.0\"><array>\n\(rows.joined(separator: "\n"))\n"
            + "</array></plist>\n}}\n"
    }

    static func script(_ groups: [(String, String)]) -> String {
        block("Script", groups.map { ["group name": $0.0, "script path": $0.1] })
    }

    private static func block(_ kind: String, _ rows: [[String: String]]) -> String {
        guard !rows.isEmpty else { return "" }
        let body = rows.map { row in
            "<dict>"
                + row.sorted { $0.key < $1.key }.map { "<key>\($0.key)</key><string>\($0.value)</string>" }
                .joined()
                + "</dict>"
        }
        return
            "@comment{BibDesk \(kind) Groups{\n<plist version=\"1.0\"><array>\n\(body.joined(separator: "\n"))\n</array></plist>\n}}\n"
    }
}
