import Testing

@testable import Libraries

@Suite("A checksum of a backup is kept as it is noted")
struct BackupChecksumTests {
    @Test(
        "The text of a checksum is kept",
        arguments: [
            "", "0", String(repeating: "0", count: 64), String(repeating: "0123456789abcdef", count: 4),
            String(repeating: "0123456789ABCDEF", count: 4), String(repeating: "fedcba98", count: 9),
            String(repeating: "g", count: 64), String(repeating: "é", count: 32),
        ])
    func text(_ text: String) {
        #expect(BackupChecksum(text).text == text)
        #expect(BackupFile(.book, name: "a", size: 1, digest: text).digest == text)
    }

    @Test("Only a checksum in lower case is stored without its text") func words() {
        guard case .words = BackupChecksum(String(repeating: "0123456789abcdef", count: 4)) else {
            Issue.record("It is kept as a text.")
            return
        }
    }
}
