import Archives
import FoundationEssentials
import JSON
import Platform
import Preferences
import Publications

extension PreferenceRow {
    /// Messages for the user about the stored value, such as a format that apps do not open. See
    /// `Preference.remarks`.
    public var remarks: [String] {
        guard let preference, let stored, problem == nil else { return [] }
        return preference.remarks(on: stored)
    }
}

extension Preference {
    /// The possible roles of columns in a calibre library; nil for other preferences.
    public var columnRoles: [ColumnRole]? { key == Self.columns ? ColumnMapping.roles : nil }

    private static let columns = "cc_mappings"

    /// Warnings about a valid value with a part that has no effect and is probably a mistake: an unknown member, an
    /// unknown format, or a text that resembles a known one. Complete sentences; empty for most values.
    ///
    /// A list with a key that ends in `_formats` contains file name extensions. An app may support formats that the
    /// host does not know, so the value is kept.
    public func remarks(on value: JSONValue) -> [String] {
        if key == Self.columns { return ColumnMapping.remarks(on: value) }
        if key == "development_overlay", let file = value.string, file.isAbsolutePath,
            !FileManager.default.fileExists(atPath: file)
        {
            return ["This file does not exist."]
        }
        if let known {
            let texts = value.strings ?? [value.string].compactMap { $0 }
            return texts.filter { !known.contains($0) }.compactMap { stranger($0, known) }
        }
        guard type == .texts, allowed == nil, key.hasSuffix("_formats") else { return [] }
        return (value.strings ?? []).filter { !Self.isFormat($0.lowercased()) }.map { format in
            "'\(format)' is not a known book format."
                + Self.meant(format, among: Self.formats)
        }
    }

    /// The message about a text that is not among the known ones.
    private func stranger(_ text: String, _ known: [String]) -> String? {
        let meant = Self.meant(text, among: known)
        if key == "web_overlays" {
            return "No overlay has the id '\(text)'."
                + (meant.isEmpty ? " List the overlays with 'overlayhost overlays'." : meant)
        }
        // Any app with file sharing is served, so only a probable mistake is reported.
        return meant.isEmpty ? nil : "No overlay is made for an app named '\(text)'." + meant
    }

    /// ` Did you mean …?`, or an empty text.
    static func meant(_ word: String, among words: [String]) -> String {
        NearestName.find(word, in: words).map { " Did you mean '\($0)'?" } ?? ""
    }

    /// Extensions of formats that reader apps open, the most common ones first.
    private static let formats = FileFormat.extensions([.book, .document, .publication, .foreign, .office])

    private static func isFormat(_ ending: String) -> Bool {
        let ending = ending.hasPrefix(".") ? String(ending.dropFirst()) : ending
        return formats.contains(ending)
            || Publication.format(of: DataByteSource(Data()), name: "a.\(ending)") != nil
    }
}
