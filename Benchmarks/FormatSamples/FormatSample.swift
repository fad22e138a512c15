import Formats

/// One sound document of a format.
package struct FormatSample: Sendable {
    /// The name of the sample.
    package let format: Format
    /// The name of the format's constant.
    package let name: String
    /// The document.
    package let content: [UInt8]
    /// An extension that the light rule knows for the format; nil if there is none.
    package let fileExtension: String?
    /// Whether the document is a ZIP archive.
    package let isArchive: Bool

    init(_ format: Format, _ name: String, _ fileExtension: String?, text: String) {
        self.init(format, name, fileExtension, bytes: Array(text.utf8))
    }

    init(_ format: Format, _ name: String, _ fileExtension: String?, archive: [ZipBuilder.Entry]) {
        self.init(format, name, fileExtension, bytes: ZipBuilder.archive(archive), isArchive: true)
    }

    init(
        _ format: Format, _ name: String, _ fileExtension: String?, bytes: [UInt8], isArchive: Bool = false
    ) {
        self.format = format
        self.name = name
        self.content = bytes
        self.fileExtension = fileExtension
        self.isArchive = isArchive
    }
}
