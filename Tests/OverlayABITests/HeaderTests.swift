import Foundation
import OverlayABI
import TestSupport
import Testing

@Suite("The headers are complete in C and C++, and document every declaration")
struct HeaderTests {
    @Test("Each header compiles alone, with all warnings as errors", arguments: Compiler.c + Compiler.cpp)
    func alone(_ compiler: Compiler) throws {
        let folder = try TemporaryFolder()
        let language = compiler.standard == "c11" ? "c" : "cpp"
        for header in try SourceTree.headers() {
            let file = folder.path("\(header).\(language)")
            try "#include \"\(header)\"\n#include \"\(header)\"\n"
                .write(toFile: file, atomically: true, encoding: .utf8)
            try compiler.run(["-fsyntax-only", file])
        }
    }

    @Test("Every function, struct and status has a comment")
    func comments() throws {
        let text = try HeaderText.contract()
        #expect(text.functions.count > 45)
        #expect(text.records.count == 69)
        for function in text.functions where function.name != "put" {
            #expect(function.comment.count > 20, "\(function.table).\(function.name)")
        }
        for record in text.records { #expect(!record.comment.isEmpty, "\(record.name)") }
        let statuses = text.constants.filter { $0.value.hasPrefix("((ovl_status)") }
        #expect(statuses.count == 26)
        for status in statuses { #expect(!status.comment.isEmpty, "\(status.name)") }
    }

    @Test("Statuses are numbered from 0 without a gap, and no number is used twice")
    func statusNumbers() throws {
        let values = try HeaderText.contract().constants.map(\.value).filter { $0.hasPrefix("((ovl_status)") }
        #expect(values == values.indices.map { "((ovl_status)\($0))" })
    }

    @Test(
        "The version from pkg-config is that of the headers",
        arguments: ["overlayhost.pc.in", "overlayhost-uninstalled.pc"])
    func packageVersion(_ file: String) throws {
        let text = try String(
            contentsOf: SourceTree.root.appendingPathComponent("Support/\(file)"),
            encoding: .utf8)
        #expect(text.contains("\nVersion: \(OVL_ABI_MAJOR).\(OVL_ABI_MINOR)\n"))
    }

    @Test("Service ids follow their grammar and are unique")
    func serviceIDs() throws {
        let ids = try HeaderText.contract().constants.filter { $0.name.hasPrefix("OVL_SERVICE_") }
        #expect(ids.count == 11)
        #expect(Set(ids.map(\.value)).count == ids.count)
        for id in ids {
            #expect(
                id.value.wholeMatch(of: #/"org\.overlayhost\.[a-z]+\/[1-9][0-9]*"/#) != nil, "\(id.value)")
        }
    }

    @Test("No type of unknown width crosses the boundary")
    func widths() throws {
        for name in SourceTree.contractHeaders {
            let code = try SourceTree.header(name).replacing(#/\/\*(?:[^*]|\*(?!\/))*\*\//#, with: "")
            let words = Set(code.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
            #expect(
                words.isDisjoint(with: [
                    "int", "long", "short", "size_t", "bool", "_Bool", "float", "enum", "union",
                ]), "\(name)")
        }
    }
}
