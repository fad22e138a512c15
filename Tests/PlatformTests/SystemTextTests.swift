import Glibc
import Platform
import Testing

@Suite("An errno has the system's text")
struct SystemTextTests {
    @Test("The text is that of strerror", arguments: [ENOENT, EACCES])
    func texts(code: Int32) throws {
        let text = systemText(code)
        #expect(!text.isEmpty && text == String(cString: strerror(code)))
    }

    @Test("A number that the system does not know is reported", arguments: [-1, 99_999, Int32.max])
    func unknown(code: Int32) {
        #expect(systemText(code) == "error \(code)")
    }
}
