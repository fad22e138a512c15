import Foundation
import Testing

@Suite("The manual names everything the headers declare")
struct ManualTests {
    private func manual() throws -> String {
        try SourceTree.text(SourceTree.root.appendingPathComponent("docs/abi.md"))
    }

    @Test("Every function, record and constant appears in docs/abi.md")
    func names() throws {
        // A name counts only if it is marked as code.
        let words = Set(try manual().matches(of: #/`([a-z_A-Z0-9]+)`/#).map { String($0.1) })
        let text = try HeaderText.contract()
        for record in text.records { #expect(words.contains(record.name), "\(record.name)") }
        for function in text.functions {
            #expect(words.contains(function.name), "\(function.table).\(function.name)")
        }
        for constant in text.constants { #expect(words.contains(constant.name), "\(constant.name)") }
        for name in [
            "ovl_entry_v1", "ovl_layout_v1", "ovl_signatures_v1", "ovl_file_id", "ovl_instance", "ovl_status",
        ] {
            #expect(words.contains(name), "\(name)")
        }
    }

    @Test("The manual names only what the headers declare")
    func noOthers() throws {
        let source = try SourceTree.headers().map(SourceTree.header).joined()
        for match in try manual().matches(of: #/`((?:OVL|ovl)_[a-zA-Z0-9_]+)`/#) {
            #expect(source.contains(String(match.1)), "\(match.1)")
        }
    }

    @Test("The numbers of the statuses are those of the header")
    func statuses() throws {
        let manual = try manual()
        for status in try HeaderText.contract().constants where status.value.hasPrefix("((ovl_status)") {
            let number = status.value.filter(\.isNumber)
            #expect(manual.contains("| \(number) | `\(status.name)` |"), "\(status.name)")
        }
    }

    @Test("The states and the purity of each method are those of the table")
    func methods() throws {
        let manual = try manual()
        for function in try HeaderText.contract().functions where function.table == "ovl_methods" {
            guard let braces = function.comment.firstMatch(of: #/\{([^}]*)\}/#) else { continue }
            let states = braces.1 == "initialized, attached, yanked, ejected" ? "all" : String(braces.1)
            let pure = function.comment.contains("Pure.") ? "yes" : "no"
            #expect(manual.contains("| `\(function.name)` | \(states) | \(pure) |"), "\(function.name)")
        }
    }
}
