import Testing

@testable import OverlayWorkers

@Suite("The message that makes a copy of the host a worker is read safely")
struct StandbyMessageTests {
    @Test(
        "The message arrives unchanged",
        arguments: [
            (["--overlay-worker", "12", "", "/tmp/ä b"], ["HOME=/tmp/x", "TZ="], [false, true, true]),
            ([], [], []),
            (["x"], [], [true]),
        ])
    func roundTrip(words: [String], variables: [String], isOpen: [Bool]) throws {
        let sent = StandbyWorkers.Message(words: words, variables: variables, isOpen: isOpen)
        let received = try #require(StandbyWorkers.Message(sent.bytes))
        #expect(received.words == words)
        #expect(received.variables == variables)
        #expect(received.isOpen == isOpen)
    }

    @Test(
        "A message without its end is refused",
        arguments: ["", "1", "1\0", "2\011\0word\0", "-1\0\0", "x\0\0\0"])
    func incomplete(text: String) {
        #expect(StandbyWorkers.Message(Array(text.utf8)) == nil)
    }
}
