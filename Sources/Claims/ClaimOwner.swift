import OverlayKit

/// Who has claimed something: one use of it by one method of a program, by the name that the host gave to the method.
///
/// What stands in the claim is read back from the device, so it is bounded and believed only as far as it does no harm:
/// the worst a false claim can do is to make others wait until it is too old.
struct ClaimOwner: Equatable, Sendable {
    /// Longest text that is read, bytes.
    static let longest: UInt64 = 256
    /// Longest name, bytes; so says the contract.
    private static let longestName = 96

    /// What stands in the claim, and in the name under which it is made: `[0-9a-z-]`.
    let text: String

    /// The owner of a claim that cannot be understood.
    static let unknown = ClaimOwner(checked: "")

    private init(checked text: String) { self.text = text }

    /// A new claim of the running method. A host that names no methods gets a claim that ends by its age alone.
    init(_ calls: CallsService) throws(OverlayError) {
        do throws(OverlayError) {
            self.init(checked: try calls.name())
        } catch {
            guard error.status == .notSupported else { throw error }
            self.init(checked: "\(String(UInt64.random(in: 1...UInt64.max), radix: 16))-0-1-0")
        }
    }

    /// The owner that a text names; nil when it is none.
    init?(_ text: some StringProtocol) {
        let isName = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
        }
        guard isName, (1...Self.longestName).contains(text.utf8.count) else { return nil }
        self.init(checked: String(text))
    }

    /// Whether it is certain that the owner has ended. This is never certain of a program on another computer.
    func isGone(_ calls: CallsService) -> Bool { !text.isEmpty && calls.hasEnded(text) }
}
