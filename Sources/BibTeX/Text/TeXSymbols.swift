/// What TeX's commands for accents and letters stand for.
enum TeXSymbols {
    /// The combining mark of an accent whose command is a sign.
    static let signAccents: [Unicode.Scalar: Unicode.Scalar] = [
        "`": "\u{300}", "'": "\u{301}", "^": "\u{302}", "~": "\u{303}", "=": "\u{304}", ".": "\u{307}",
        "\"": "\u{308}",
    ]

    /// The combining mark of an accent whose command is a letter.
    static let letterAccents: [String: Unicode.Scalar] = [
        "u": "\u{306}", "r": "\u{30A}", "H": "\u{30B}", "v": "\u{30C}", "b": "\u{320}", "d": "\u{323}",
        "c": "\u{327}", "k": "\u{328}",
    ]

    /// Commands that stand for a text. The first command of a letter is the one that is written.
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

    /// Commands that stand for a sign which has its own meaning. They are read last, so that the sign stays one.
    static let signs = [
        "textbackslash": "\\", "textbraceleft": "{", "textbraceright": "}", "textdollar": "$",
        "textasciitilde": "~",
    ]

    /// The text of a command.
    static let texts = Dictionary(list, uniquingKeysWith: { first, _ in first })

    /// The command of a letter that is not ASCII.
    static let commands = Dictionary(
        list.compactMap { command, text -> (Unicode.Scalar, String)? in
            guard let scalar = text.unicodeScalars.first, scalar.value >= 0x80 else { return nil }
            return (scalar, command)
        }, uniquingKeysWith: { first, _ in first })

    /// The command of a combining mark.
    static let accents: [Unicode.Scalar: String] = {
        var accents: [Unicode.Scalar: String] = [:]
        for (sign, mark) in signAccents { accents[mark] = String(sign) }
        for (letter, mark) in letterAccents { accents[mark] = letter }
        return accents
    }()

    /// Commands that change how their text looks, and stand for nothing themselves.
    static let fonts: Set<String> = [
        "em", "it", "bf", "rm", "sc", "tt", "sf", "sl", "emph", "textit", "textbf", "textrm", "textsc",
        "texttt",
        "textsf", "textsl", "textnormal", "mbox", "hbox", "text", "mathrm", "mathit", "mathbf", "mathcal",
        "ensuremath", "protect", "relax", "noopsort", "mkbibquote", "mkbibemph", "url", "path", "nolinkurl",
        "small", "large", "uppercase", "lowercase", "bfseries", "itshape", "scshape", "enquote",
    ]
}
