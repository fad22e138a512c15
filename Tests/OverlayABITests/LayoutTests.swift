import Foundation
import OverlayABI
import TestSupport
import Testing

@Suite("C, C++ and Swift agree with the golden layout about every byte")
struct LayoutTests {
    /// The golden layout. C was compared with it at compile time.
    private func golden() -> [SwiftLayout] {
        var count: UInt32 = 0
        let rows = ovl_layout_v1(&count)
        return (0..<Int(count)).map { index in
            let row = rows[index]
            return SwiftLayout(
                record: String(cString: row.record), field: row.field.map { String(cString: $0) },
                offset: Int(row.offset), size: Int(row.size), alignment: Int(row.alignment))
        }
    }

    @Test("Swift sees every struct and field as the golden layout says")
    func swift() {
        let (golden, swift) = (golden(), SwiftLayout.all)
        #expect(golden.count > 250)
        for (expected, found) in zip(golden, swift) { #expect(expected == found) }
        #expect(golden.count == swift.count)
    }

    @Test("Every struct of the headers has a row, in their order")
    func everyStruct() throws {
        #expect(
            golden().filter { $0.field == nil }.map(\.record)
                == (try HeaderText.contract().records.map(\.name)))
    }

    @Test("The fields of a struct follow each other without a gap, and padding has a name")
    func noGaps() {
        var (end, whole) = (0, SwiftLayout(record: "", field: nil, offset: 0, size: 0, alignment: 1))
        for row in golden() {
            if row.field == nil {
                #expect(end == whole.size, "\(whole.record)")
                (end, whole) = (0, row)
            } else {
                #expect(row.offset == end, "\(row.record).\(row.field ?? "")")
                end = row.offset + row.size
            }
        }
        #expect(end == whole.size, "\(whole.record)")
    }

    @Test("Every record begins with struct_size and flags, and its size is a multiple of 8")
    func sizeFirst() {
        let views: Set = ["ovl_text", "ovl_bytes", "ovl_texts", "ovl_list"]
        let rows = golden().filter { !views.contains($0.record) }
        for whole in rows where whole.field == nil {
            let fields = rows.filter { $0.record == whole.record && $0.field != nil }
            #expect(fields.prefix(2).map(\.field) == ["struct_size", "flags"], "\(whole.record)")
            #expect(whole.size % 8 == 0, "\(whole.record)")
        }
    }

    @Test("C++17 agrees with the golden layout", arguments: Compiler.cpp)
    func cpp(_ compiler: Compiler) throws {
        try compiler.run(["-fsyntax-only", SourceTree.fixtures.appendingPathComponent("layout.cpp").path])
    }

    @Test("C11 agrees with the golden layout", arguments: Compiler.c)
    func c(_ compiler: Compiler) throws {
        try compiler.run(["-fsyntax-only", SourceTree.abi.appendingPathComponent("overlay_layout.c").path])
    }

    @Test("A wrong number in the layout stops the compiler", arguments: Compiler.c)
    func wrongNumber(_ compiler: Compiler) throws {
        let folder = try TemporaryFolder()
        let table = try SourceTree.text(SourceTree.abi.appendingPathComponent("overlay_layout_v1.def"))
        let row = "OVL_LAYOUT_FIELD(ovl_book, rating, "
        try #require(table.contains(row))
        try table.replacing(row, with: row + "8 + ")
            .write(toFile: folder.path("overlay_layout_v1.def"), atomically: true, encoding: .utf8)
        try FileManager.default.copyItem(
            at: SourceTree.abi.appendingPathComponent("overlay_layout.c"),
            to: folder.url.appendingPathComponent("overlay_layout.c"))
        let result = try runProgram(
            compiler.program,
            ["-I", SourceTree.include.path, "-fsyntax-only", folder.path("overlay_layout.c")])
        #expect(result.status != 0)
        #expect(result.errors.contains("offset of ovl_book.rating"))
    }
}
