import Diagnostics
import Testing

private struct ShelfCode: FailureCode {
    let rawValue: String
    static let full = Self(rawValue: "full")
}

private struct RoomCode: FailureCode {
    let rawValue: String
    static let noRoom = Self(rawValue: "no_room")
}

@Suite("Failures of all modules have one shape")
struct FailureTests {
    private typealias ShelfError = Failure<ShelfCode>
    private typealias RoomError = Failure<RoomCode>

    @Test("A failure is described on one line with everything a person needs")
    func describes() {
        let bare = ShelfError(.full, "The shelf is full.")
        #expect(bare.description == "The shelf is full.")
        let whole = ShelfError(
            .full, "The shelf is full.", subject: "Emma", hint: "Remove a book.",
            native: NativeCode(.afc, 18, "AFC_E_NO_SPACE_LEFT"))
        #expect(whole.description == "Emma: The shelf is full. Remove a book. (AFC 18 AFC_E_NO_SPACE_LEFT)")
        #expect("\(ShelfCode.full)" == "full")
    }

    @Test("A failure of the layer below keeps its texts under a code of the layer above")
    func wraps() throws {
        let below = ShelfError(
            .full, "The shelf is full.", subject: "Emma", hint: "Remove a book.", isRetryable: true,
            native: .posix(28))
        let above = RoomError(.noRoom, below)
        #expect(above.code == .noRoom)
        #expect(above.description == below.description)
        #expect(above.isRetryable)
        #expect(try #require(above.underlying as? ShelfError) == below)
    }

    @Test("A subject and a hint are added where they are missing")
    func completes() {
        let bare = ShelfError(.full, "The shelf is full.")
        #expect(bare.about("Emma").subject == "Emma")
        #expect(bare.about("Emma").about("Persuasion").subject == "Emma")
        #expect(bare.hinting("Remove a book.").hint == "Remove a book.")
        #expect(bare.hinting("Remove a book.").hinting("Wait.").hint == "Remove a book.")
    }

    @Test("Failures that say the same are equal, those that differ in anything a person sees are not")
    func compares() {
        let one = ShelfError(.full, "The shelf is full.", subject: "Emma")
        #expect(one == ShelfError(.full, "The shelf is full.", subject: "Emma", underlying: one))
        #expect(one != ShelfError(.full, "The shelf is full.", subject: "Persuasion"))
        #expect(one != ShelfError(ShelfCode(rawValue: "other"), "The shelf is full.", subject: "Emma"))
        #expect(one != one.hinting("Remove a book."))
    }

    @Test("A failure is one pointer, and changing a copy does not change the original")
    func copies() {
        #expect(MemoryLayout<ShelfError>.size == MemoryLayout<UnsafeRawPointer>.size)
        #expect(MemoryLayout<ShelfError?>.size == MemoryLayout<UnsafeRawPointer>.size)
        let one = ShelfError(.full, "The shelf is full.", native: NativeCode(.posix, 2), underlying: POSIX())
        var other = one
        (other.code, other.message) = (ShelfCode(rawValue: "other"), "Other.")
        (other.subject, other.hint, other.hintCode) = ("Emma", "Wait.", .leaveOut)
        (other.isRetryable, other.native, other.underlying) = (true, nil, nil)
        #expect(one.code == .full && one.message == "The shelf is full." && one.subject == nil)
        #expect(one.hint == nil && one.hintCode == nil && !one.isRetryable)
        #expect(one.native == NativeCode(.posix, 2) && one.underlying is POSIX)
        #expect(other.code.rawValue == "other" && other.message == "Other." && other.subject == "Emma")
        #expect(other.hint == "Wait." && other.hintCode == .leaveOut && other.isRetryable)
        #expect(other.native == nil && other.underlying == nil)
    }

    private struct POSIX: Error {}

    @Test(
        "A native code is described by its domain, its number and its name",
        arguments: [
            (NativeCode(.posix, 2), "errno 2"),
            (NativeCode(.lockdown, nil, "PasswordProtected"), "lockdownd PasswordProtected"),
            (NativeCode(.afc, 8, "AFC_E_OBJECT_NOT_FOUND"), "AFC 8 AFC_E_OBJECT_NOT_FOUND"),
            (NativeCode(.init(rawValue: "domain 99"), 7), "domain 99 7"),
        ])
    func describesNative(code: NativeCode, text: String) {
        #expect(code.description == text)
    }
}
