import Foundation
import TestSupport
import Testing

@Suite("The instructions on the pages for authors work")
struct PageTests {
    /// The pages with something to try.
    static let pages = ["tutorial.md", "sniffers.md", "options.md", "long-operations.md"]

    private static let folder = sourceFolder.appendingPathComponent("docs/overlays")

    @Test("A page works from its beginning to its end", arguments: pages)
    func follow(_ page: String) throws { try follow(page, tools: []) }

    @Test(
        "The page on debugging works with gdb",
        .enabled(if: starts("gdb"), "gdb is not there, or does not start"))
    func gdb() throws { try follow("debugging.md", tools: ["gdb"]) }

    @Test(
        "The page on debugging works with lldb",
        .enabled(if: starts("lldb"), "lldb is not there, or does not start"))
    func lldb() throws { try follow("debugging.md", tools: ["lldb"]) }

    /// A debugger may be installed without a library that it needs.
    private static func starts(_ program: String) -> Bool {
        (try? runProgram(program, ["--version"]))?.status == 0
    }

    private func follow(_ page: String, tools: Set<String>) throws {
        let text = try String(contentsOf: Self.folder.appendingPathComponent(page), encoding: .utf8)
        var reader = PageReader(try Workshop(), tools: tools)
        try #require(!PageBlock.blocks(of: text).isEmpty)
        try reader.follow(text)
    }

    @Test("A page with a wrong promise is detected")
    func broken() throws {
        #expect(PageReader.firstMissing(["a … c", "d"], in: "x\na  b c\nd\n") == nil)
        #expect(PageReader.firstMissing(["d", "a … c"], in: "x\na  b c\nd\n") == "a … c")
        #expect(PageReader.firstMissing(["a … x"], in: "a  b c\n") == "a … x")
        #expect(PageReader.firstMissing(["b c"], in: "a  b c\n") == "b c")
    }

    @Test("Blocks are recognised by the words after their backquotes")
    func blocks() {
        let page = """
            ```sh
            ls
            ```
            ```sh needs=gdb
            gdb
            ```
            ```c file=x.c above=methods
            int x;
            ```
            ```c
            not to be tried
            ```
            """
        #expect(
            PageBlock.blocks(of: page) == [
                .commands("ls\n"), .commands("gdb\n", needs: "gdb"),
                .insertion("x.c", "int x;\n", above: "methods"),
            ])
    }
}
