import BibTeX

/// New cite keys in BibDesk's form: `Lovelace:1843aa`.
enum CiteKey {
    /// The first unused key for a work, with only letters, digits and other characters that every program accepts.
    ///
    /// - Parameters:
    ///   - author: the last name of the first author; empty if unknown.
    ///   - year: the year; nil if unknown.
    ///   - isTaken: returns whether an entry has the key.
    static func unused(author: String, year: Int?, _ isTaken: (String) -> Bool) -> String {
        let letters = TextFolding.asciiLetters(author)
        let name = letters.isEmpty ? "Reference" : letters
        let beginning = name + ":" + (year.map { "\($0)" } ?? "")
        var number = 0
        while true {
            let key = beginning + suffix(number)
            if !isTaken(key) { return key }
            number += 1
        }
    }

    /// `aa`, `ab`, ... `zz`, `aaa`.
    private static func suffix(_ number: Int) -> String {
        var text = ""
        var rest = number + 26
        while rest >= 0 {
            text = String(UnicodeScalar(UInt8(ascii: "a") + UInt8(rest % 26))) + text
            rest = rest / 26 - 1
        }
        return text
    }
}
