/// The names under which the host writes files before they get their own: `.overlayhost-` and hexadecimal digits, with
/// `.part` at the end.
///
/// A command that was killed leaves such files behind. While a claim is held, no other program that takes claims writes any,
/// so the holder may remove those it finds.
package enum PartialFile {
    private static let (start, end) = (".overlayhost-", ".part")

    /// Whether a name is of this kind.
    package static func hasName(_ name: some StringProtocol) -> Bool {
        guard name.hasPrefix(start), name.hasSuffix(end) else { return false }
        let digits = name.utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count)
        return digits.count >= 16
            && digits.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }
}
