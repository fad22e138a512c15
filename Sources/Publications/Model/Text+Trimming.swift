import Platform

extension String {
    /// The text without white space and NUL at both ends.
    package func trimmingSpace() -> String {
        // Fast path: most texts begin and end with a visible ASCII character.
        let visible = UInt8(ascii: "!")...UInt8(ascii: "~")
        if let first = utf8.first, let last = utf8.last, visible.contains(first), visible.contains(last) {
            return self
        }
        let isSpace: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace || $0.value == 0 }
        let scalars = unicodeScalars
        guard let start = scalars.firstIndex(where: { !isSpace($0) }),
            let end = scalars.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(scalars[start...end])
    }

    /// The text with each run of white space replaced by one space and none at the ends; nil if nothing remains.
    ///
    /// An XML file may break a name or title over several lines, which this undoes.
    package func collapsingSpace() -> String? {
        var scalars = String.UnicodeScalarView()
        var pending = false
        for scalar in unicodeScalars {
            // A no-break space is intentional; line breaks and runs of spaces result from the layout.
            if scalar == " " || scalar == "\n" || scalar == "\r" || scalar == "\t" || scalar.value == 0 {
                pending = !scalars.isEmpty
            } else {
                if pending { scalars.append(" ") }
                pending = false
                scalars.append(scalar)
            }
        }
        return scalars.isEmpty ? nil : String(scalars)
    }

    /// The text without control characters and without white space at its ends; nil if nothing remains.
    func withoutControls() -> String? {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            let isLeftOut = scalar.isControl || scalar.value == 0xFEFF
            if !isLeftOut || scalar == "\n" || scalar == "\t" {
                scalars.append(scalar)
            } else if scalar == "\r" {
                scalars.append("\n")
            }
        }
        let trimmed = String(scalars).trimmingSpace()
        return trimmed.isEmpty ? nil : trimmed
    }
}

extension StringProtocol {
    /// Whether the text begins with `prefix`, ignoring the case of ASCII letters.
    package func hasPrefix(ignoringCase prefix: String) -> Bool {
        var mine = utf8.makeIterator()
        for byte in prefix.utf8 {
            guard let next = mine.next(), asciiLower(next) == asciiLower(byte) else { return false }
        }
        return true
    }

    /// Whether the text has the bytes of `part`. Much faster than `contains`, which compares characters.
    package func hasBytes(of part: String) -> Bool {
        var rest = utf8[...]
        while !rest.starts(with: part.utf8) {
            guard rest.popFirst() != nil else { return false }
        }
        return true
    }

    /// Whether the texts are equal, ignoring the case of ASCII letters.
    package func equals(ignoringCase other: String) -> Bool {
        utf8.count == other.utf8.count && hasPrefix(ignoringCase: other)
    }
}

/// The byte in lower case if it is an ASCII capital letter; otherwise the byte itself.
private func asciiLower(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}
