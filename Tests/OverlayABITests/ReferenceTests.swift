import Foundation
import OverlayABI
import TestSupport
import Testing

@Suite("The reference of the contract matches the headers")
struct ReferenceTests {
    private func reference() throws -> String {
        try SourceTree.text(SourceTree.root.appendingPathComponent("docs/abi-reference.md"))
    }

    @Test(
        "The reference is up to date",
        .enabled(
            if: programIsInstalled("python3"), "no python3: whether the reference is up to date is unknown"))
    func upToDate() throws {
        let made = try runProgram(SourceTree.root.appendingPathComponent("Support/abi-reference").path)
        #expect(made.status == 0, "\(made.errors)")
        #expect(
            try made.output == reference(),
            "Make it anew: Support/abi-reference >docs/abi-reference.md")
    }

    @Test("The reference has every function and every field of the table of signatures")
    func complete() throws {
        let sections = try reference().components(separatedBy: "\n### `")
        var count: UInt32 = 0
        let records = ovl_signatures_v1(&count)
        var functions = 0
        for number in 0..<Int(count) {
            let record = records[number].pointee
            let name = String(cString: record.name)
            let section = try #require(sections.first { $0.hasPrefix(name + "`") }, "\(name)")
            for place in 0..<Int(record.field_count) {
                let field = record.fields[place]
                let fieldName = String(cString: field.name)
                let isFunction = field.kind == OVL_KIND_FUNCTION
                functions += isFunction ? 1 : 0
                let row = isFunction ? "#### `\(name).\(fieldName)`" : "| `\(fieldName)` |"
                #expect(section.contains(row), "\(name).\(fieldName)")
            }
        }
        #expect(functions > 60)
    }
}
