/// The grammar of semantic versions (semver.org, version 2.0.0).
enum SemanticVersion {
    /// Whether a text has the form `MAJOR.MINOR.PATCH`, optionally with `-PRERELEASE` and `+BUILD`.
    static func isValid(_ text: String) -> Bool {
        let parts = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, !areIdentifiers(parts[1]) { return false }
        let halves = parts[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        if halves.count == 2 {
            guard areIdentifiers(halves[1]) else { return false }
            for identifier in halves[1].split(separator: ".") where identifier.utf8.allSatisfy(isDigit) {
                guard isNumber(identifier) else { return false }
            }
        }
        let numbers = halves[0].split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 3 && numbers.allSatisfy(isNumber)
    }

    private static func areIdentifiers(_ text: Substring) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    isDigit(byte) || byte == UInt8(ascii: "-") || (0x41...0x5A).contains(byte)
                        || (0x61...0x7A).contains(byte)
                }
        }
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isDigit) && (text == "0" || text.first != "0")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
