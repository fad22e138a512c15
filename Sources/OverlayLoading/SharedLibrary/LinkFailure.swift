import Diagnostics

/// Interprets messages of the dynamic linker, which are the only information about the causes of errors.
package enum LinkFailure {
    /// Creates the refusal for an error message of glibc's dlerror about the library at `copy`.
    package static func refusal(_ text: String, copy: String) -> OverlayRefusal {
        let sentence = text.hasPrefix(copy + ": ") ? String(text.dropFirst(copy.count + 2)) : text
        if let symbol = after("undefined symbol: ", in: sentence) {
            let name = symbol.prefix { $0 != "," && $0 != " " }
            return OverlayRefusal(
                .missingSymbol, "It needs the symbol \(name), which no library provides.",
                hint: "Link the overlay with -z defs to find missing symbols at build time.")
        }
        let missing = ": cannot open shared object file"
        if sentence.contains(missing), let library = sentence.split(separator: ":").first,
            library != copy[...]
        {
            return OverlayRefusal(
                .missingLibrary, "It needs the library \(library), which cannot be found.",
                hint: "Install the library, or link the overlay so that it can find it.")
        }
        return OverlayRefusal(.notLoadable, "The dynamic linker cannot load it: \(sentence).")
    }

    private static func after(_ marker: String, in text: String) -> Substring? {
        let wanted = Array(marker.utf8)
        let bytes = Array(text.utf8)
        guard bytes.count >= wanted.count else { return nil }
        for start in 0...(bytes.count - wanted.count) where bytes[start...].starts(with: wanted) {
            return Substring(decoding: bytes[(start + wanted.count)...], as: UTF8.self)
        }
        return nil
    }
}
