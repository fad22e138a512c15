import Formats

/// Converts the Windows language identifiers in MOBI headers to language tags (BCP 47).
enum WindowsLanguage {
    /// The language tag for an identifier; nil if it is unknown. Has a region only where the region matters to
    /// readers.
    static func tag(_ identifier: Int) -> String? {
        regions[identifier & 0xFFFF] ?? languages[identifier & 0x3FF]
    }

    private static let regions: [Int: String] = [
        0x0404: "zh-TW", 0x0804: "zh-CN", 0x0C04: "zh-HK", 0x1004: "zh-SG", 0x0407: "de-DE", 0x0807: "de-CH",
        0x0C07: "de-AT", 0x0409: "en-US", 0x0809: "en-GB", 0x0C09: "en-AU", 0x1009: "en-CA", 0x1409: "en-NZ",
        0x1809: "en-IE", 0x4009: "en-IN", 0x080A: "es-MX", 0x0C0A: "es-ES", 0x040A: "es-ES", 0x2C0A: "es-AR",
        0x040C: "fr-FR", 0x080C: "fr-BE", 0x0C0C: "fr-CA", 0x100C: "fr-CH", 0x0410: "it-IT", 0x0810: "it-CH",
        0x0413: "nl-NL", 0x0813: "nl-BE", 0x0414: "nb-NO", 0x0814: "nn-NO", 0x0416: "pt-BR", 0x0816: "pt-PT",
        0x041A: "hr", 0x081A: "sr-Latn", 0x0C1A: "sr-Cyrl", 0x141A: "bs",
    ]

    /// Language tags by primary language identifier.
    private static let languages: [Int: String] = [
        0x01: "ar", 0x02: "bg", 0x03: "ca", 0x04: "zh", 0x05: "cs", 0x06: "da", 0x07: "de", 0x08: "el",
        0x09: "en", 0x0A: "es", 0x0B: "fi", 0x0C: "fr", 0x0D: "he", 0x0E: "hu", 0x0F: "is", 0x10: "it",
        0x11: "ja", 0x12: "ko", 0x13: "nl", 0x14: "no", 0x15: "pl", 0x16: "pt", 0x17: "rm", 0x18: "ro",
        0x19: "ru", 0x1A: "hr", 0x1B: "sk", 0x1C: "sq", 0x1D: "sv", 0x1E: "th", 0x1F: "tr", 0x20: "ur",
        0x21: "id", 0x22: "uk", 0x23: "be", 0x24: "sl", 0x25: "et", 0x26: "lv", 0x27: "lt", 0x29: "fa",
        0x2A: "vi", 0x2B: "hy", 0x2C: "az", 0x2D: "eu", 0x2F: "mk", 0x34: "xh", 0x35: "zu", 0x36: "af",
        0x37: "ka", 0x38: "fo", 0x39: "hi", 0x3A: "mt", 0x3C: "ga", 0x3E: "ms", 0x3F: "kk", 0x41: "sw",
        0x43: "uz", 0x44: "tt", 0x45: "bn", 0x46: "pa", 0x47: "gu", 0x48: "or", 0x49: "ta", 0x4A: "te",
        0x4B: "kn", 0x4C: "ml", 0x4D: "as", 0x4E: "mr", 0x4F: "sa", 0x50: "mn", 0x52: "cy", 0x56: "gl",
        0x57: "kok", 0x61: "ne",
    ]
}

extension String {
    /// The text with the five named references of XML, `&nbsp;` and numeric references replaced by their characters.
    ///
    /// Some writers of MOBI files copy titles from markup without resolving references. Unknown references stay
    /// unchanged.
    var withoutReferences: String { CharacterReferences.resolved(self, names: ["nbsp": "\u{A0}"]) }
}
