import Platform
import Testing

@Suite("A text becomes one word of a shell's command line")
struct ShellWordTests {
    @Test(
        "Only texts with other than plain characters are quoted",
        arguments: [
            ("Kindle", "Kindle"), ("/Books/a-b_c.epub", "/Books/a-b_c.epub"),
            ("GoodReader 4", "'GoodReader 4'"), ("A's", #"'A'\''s'"#), ("", "''"), ("$(x)", "'$(x)'"),
            ("é", "'é'"),
        ])
    func words(text: String, expected: String) { #expect(text.shellWord == expected) }
}
