import Testing

@testable import MarvinCommands

@Suite("A rejection message contains a file name and a reason")
struct RejectionTests {
    @Test(
        "Messages that follow the convention, and known exceptions, are parsed",
        arguments: [
            ("[a.epub] not valid", "a.epub", "not valid"),
            ("  [a.epub]not valid ", "a.epub", "not valid"),
            ("[a [2].epub] damaged [twice]", "a [2].epub", "damaged [twice]"),
            ("[a [2.epub] odd name", "a [2.epub", "odd name"),
            ("[a.epub]", "a.epub", "[a.epub]"),
            ("no brackets at all", nil, "no brackets at all"),
            ("Book [a.epub] elsewhere", nil, "Book [a.epub] elsewhere"),
            ("[never closed", nil, "[never closed"),
            ("[] empty name", nil, "[] empty name"),
            ("", nil, ""),
        ] as [(String, String?, String)])
    func convention(message: String, fileName: String?, reason: String) {
        let rejection = Rejection(message: message)
        #expect(rejection.fileName == fileName)
        #expect(rejection.reason == reason)
    }

    @Test(
        "A file of the command is recognised wherever it stands in brackets",
        arguments: [
            ("[a]b].epub] bad", "a]b].epub", "bad"),
            ("Rejected [x.epub] as damaged", "x.epub", "Rejected as damaged"),
            ("[note] [x.epub] damaged", "x.epub", "[note] damaged"),
            ("[other.epub] unknown", "other.epub", "unknown"),
        ])
    func knownNames(message: String, fileName: String, reason: String) {
        let rejection = Rejection(message: message, fileNames: ["a]b].epub", "x.epub"])
        #expect(rejection.fileName == fileName)
        #expect(rejection.reason == reason)
    }
}
