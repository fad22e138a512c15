/// The document information dictionary (ISO 32000-1, 14.3.3) as metadata.
struct PDFDocumentInfo {
    var metadata = PublicationMetadata()
    /// When the dictionary was last changed, as it says.
    var changed: PartialDate?
    /// Keys whose values are not what they should be.
    var badKeys: [String] = []

    /// Reads the entries, following references.
    init(_ entries: [String: PDFObject], of file: PDFFile) throws(PDFFault) {
        func text(_ key: String) throws(PDFFault) -> String? {
            switch try file.resolve(entries[key]) {
            case .string(let bytes): return PDFText.clean(bytes)
            // Some writers take names for texts.
            case .name(let name): return PDFText.clean(name)
            case .null: return nil
            default:
                badKeys.append(key)
                return nil
            }
        }
        func date(_ key: String) throws(PDFFault) -> PartialDate? {
            guard let text = try text(key) else { return nil }
            let date = PDFDate.parse(text)
            if date == nil { badKeys.append(key) }
            return date
        }
        metadata.title = try text("Title")?.collapsingSpace()
        metadata.authors = PDFNames.people(try text("Author") ?? "").map {
            Contributor($0, roles: [Contributor.Role.author])
        }
        metadata.description = try text("Subject")
        metadata.subjects = PDFNames.keywords(try text("Keywords") ?? "")
        // `CreationDate` is when the file was made, which is no date of publication: a scan of an old book is young.
        changed = try date("ModDate")
        metadata.modified = changed
    }
}
