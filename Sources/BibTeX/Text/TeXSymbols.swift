/// The meanings of TeX's commands for accents and letters.
enum TeXSymbols {
    /// The combining mark for each accent whose command is a punctuation character.
    static let signAccents: [Unicode.Scalar: Unicode.Scalar] = [
        "`": "\u{300}", "'": "\u{301}", "^": "\u{302}", "~": "\u{303}", "=": "\u{304}", ".": "\u{307}",
        "\"": "\u{308}",
    ]

    /// The combining mark for each accent whose command is a letter.
    static let letterAccents: [String: Unicode.Scalar] = [
        "u": "\u{306}", "r": "\u{30A}", "H": "\u{30B}", "v": "\u{30C}", "b": "\u{320}", "d": "\u{323}",
        "c": "\u{327}", "k": "\u{328}",
    ]

    /// Commands and their texts. If several commands give a letter, the first is used for writing.
    private static let list: [(String, String)] = [
        ("ss", "ß"), ("o", "ø"), ("O", "Ø"), ("aa", "å"), ("AA", "Å"), ("ae", "æ"), ("AE", "Æ"), ("oe", "œ"),
        ("OE", "Œ"), ("l", "ł"), ("L", "Ł"), ("i", "ı"), ("j", "ȷ"), ("dh", "ð"), ("DH", "Ð"), ("dj", "đ"),
        ("DJ", "Đ"), ("ng", "ŋ"), ("NG", "Ŋ"), ("th", "þ"), ("TH", "Þ"), ("SS", "ẞ"), ("ldots", "…"),
        ("dots", "…"), ("textellipsis", "…"), ("copyright", "©"), ("textcopyright", "©"), ("pounds", "£"),
        ("textsterling", "£"), ("dag", "†"), ("ddag", "‡"), ("S", "§"), ("P", "¶"), ("textregistered", "®"),
        ("texttrademark", "™"), ("textdegree", "°"), ("texteuro", "€"), ("euro", "€"),
        ("textexclamdown", "¡"), ("textquestiondown", "¿"), ("guillemotleft", "«"), ("guillemotright", "»"),
        ("textbullet", "•"), ("textendash", "–"), ("textemdash", "—"), ("textquoteleft", "‘"),
        ("textquoteright", "’"), ("textquotedblleft", "“"), ("textquotedblright", "”"),
        ("quotedblbase", "„"), ("textordfeminine", "ª"), ("textordmasculine", "º"), ("textasciicircum", "^"),
        ("textunderscore", "_"),
    ]

    /// The texts that BibDesk writes for characters with another spelling in TeX. Saving a file replaces the
    /// characters permanently.
    static let spellings: [Unicode.Scalar: String] = [
        "–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl",
        "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u{AD}": "-", "°": "$^{\\circ}$", "±": "$\\pm$",
    ]

    /// Commands for characters that have a meaning in TeX. They are read last, so that the character is not
    /// interpreted.
    static let signs = [
        "textbackslash": "\\", "textbraceleft": "{", "textbraceright": "}", "textdollar": "$",
        "textasciitilde": "~", "pm": "±", "circ": "∘",
    ]

    /// The text for each command.
    static let texts = Dictionary(list, uniquingKeysWith: { first, _ in first })

    /// The command for each letter outside ASCII.
    static let commands = Dictionary(
        list.compactMap { command, text -> (Unicode.Scalar, String)? in
            guard let scalar = text.unicodeScalars.first, scalar.value >= 0x80 else { return nil }
            return (scalar, command)
        }, uniquingKeysWith: { first, _ in first })

    /// The command for each combining mark.
    static let accents: [Unicode.Scalar: String] = {
        var accents: [Unicode.Scalar: String] = [:]
        for (sign, mark) in signAccents { accents[mark] = String(sign) }
        for (letter, mark) in letterAccents { accents[mark] = letter }
        return accents
    }()

    /// Commands that only change the appearance of their text.
    static let fonts: Set<String> = [
        "em", "it", "bf", "rm", "sc", "tt", "sf", "sl", "emph", "textit", "textbf", "textrm", "textsc",
        "texttt",
        "textsf", "textsl", "textnormal", "mbox", "hbox", "text", "mathrm", "mathit", "mathbf", "mathcal",
        "ensuremath", "protect", "relax", "noopsort", "mkbibquote", "mkbibemph", "url", "path", "nolinkurl",
        "small", "large", "uppercase", "lowercase", "bfseries", "itshape", "scshape", "enquote",
    ]
}
