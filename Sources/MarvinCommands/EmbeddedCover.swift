import Platform

/// A cover in a command, for a book without a cover in its file.
package struct EmbeddedCover: Hashable, Sendable {
    /// Identifies the cover for both sides. Usually the MD5 of the scaled image in hexadecimal; opaque to this
    /// module.
    package var hash: String
    /// The image file.
    package var data: [UInt8]

    /// Creates a cover; `hash` is opaque to the app.
    package init(hash: String, data: [UInt8]) {
        self.hash = hash
        self.data = data
    }

    /// Creates a cover from base 64, as in commands; nil if the text is invalid or empty.
    package init?(hash: String, base64: String) {
        guard let data = Base64.decode(base64.utf8), !data.isEmpty else { return nil }
        self.init(hash: hash, data: data)
    }

    init?(_ element: CommandFileElement?) {
        guard let element else { return nil }
        self.init(hash: element.attributes["hash"] ?? "", base64: element.text)
    }

    func write(to writer: inout CommandFileWriter) {
        writer.open("cover", ["hash": hash, "encoding": "base64"])
        writer.raw(Base64.encode(data))
        writer.close("cover")
    }
}
