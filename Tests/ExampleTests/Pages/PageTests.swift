import Foundation
import TestSupport
import Testing

@Suite("What the pages for authors say works, command by command")
struct PageTests {
    /// The pages with something to try.
    static let pages =
        ["tutorial.md", "sniffers.md", "options.md", "long-operations.md"]
        + (programIsInstalled("gdb") ? ["debugging.md"] : [])

    private static let folder = sourceFolder.appendingPathComponent("docs/overlays")

    @Test("A page, from its beginning to its end", arguments: pages)
    func follow(_ page: String) throws {
        let text = try String(contentsOf: Self.folder.appendingPathComponent(page), encoding: .utf8)
        var reader = PageReader(try Workshop())
        try #require(!PageBlock.blocks(of: text).isEmpty)
        try reader.follow(text)
    }

    @Test("A page whose promise is not kept is found out")
    func broken() throws {
        #expect(PageReader.firstMissing(["a … c", "d"], in: "x\na  b c\nd\n") == nil)
        #expect(PageReader.firstMissing(["d", "a … c"], in: "x\na  b c\nd\n") == "a … c")
        #expect(PageReader.firstMissing(["a … x"], in: "a  b c\n") == "a … x")
        #expect(PageReader.firstMissing(["b c"], in: "a  b c\n") == "b c")
    }

    @Test("Blocks are what stands behind their backquotes")
    func blocks() {
        let page = """
            ```sh
            ls
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
                .commands("ls\n"), .insertion("x.c", "int x;\n", above: "methods"),
            ])
    }
}
