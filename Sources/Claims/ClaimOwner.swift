import OverlayKit

/// Identifies the holder of a claim: one run of one method in one program, by the name that the host gave to that
/// run.
///
/// The text of a claim is read back from the device, so its length is limited and it is not trusted. The worst that a
/// forged claim can do is make other programs wait until it expires.
struct ClaimOwner: Equatable, Sendable {
    /// The longest text that is read, in bytes.
    static let longest: UInt64 = 256
    /// The longest name, in bytes, as the contract defines it.
    private static let longestName = 96

    /// The text in the owner's file, and in the temporary name of the claim: `[0-9a-z-]`.
    let text: String

    /// The owner of a claim whose text cannot be understood.
    static let unknown = ClaimOwner(checked: "")

    private init(checked text: String) { self.text = text }

    /// The owner of a new claim, for the running method. If the host does not name methods, the claim expires by age
    /// only.
    init(_ calls: CallsService) throws(OverlayError) {
        do throws(OverlayError) {
            self.init(checked: try calls.name())
        } catch {
            guard error.status == .notSupported else { throw error }
            self.init(checked: "\(String(UInt64.random(in: 1...UInt64.max), radix: 16))-0-1-0")
        }
    }

    /// Reads an owner from a text; nil if the text does not name one.
    init?(_ text: some StringProtocol) {
        let isName = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
        }
        guard isName, (1...Self.longestName).contains(text.utf8.count) else { return nil }
        self.init(checked: String(text))
    }

    /// Whether it is certain that the owner has ended. This is never certain for a program on another computer.
    func isGone(_ calls: CallsService) -> Bool { !text.isEmpty && calls.hasEnded(text) }
}
