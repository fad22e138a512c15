/// Tells EPUBs from other files by a few kilobytes of them.
///
/// An EPUB is a ZIP archive with the entry `META-INF/container.xml` (EPUB OCF 3.3, section 4.2). Its `mimetype` entry is
/// supposed to be the first one and often is not, so it decides nothing. Extensions decide nothing either: they lie.
struct EpubCheck<Failure: Error> {
    /// Bytes of the file.
    let size: UInt64
    /// Up to that many bytes from that offset; fewer only at the end of the file.
    let read: (_ offset: UInt64, _ count: Int) throws(Failure) -> [UInt8]

    /// Looks at the file.
    func verdict() throws(Failure) -> EpubVerdict {
        guard size > 0 else { return .other("an empty file") }
        let head = try read(0, 1024)
        guard head.starts(with: [0x50, 0x4B, 0x03, 0x04]) else {
            return .other(KnownFormat.name(ofFileThatBegins: head))
        }
        let directory = ZipDirectory(size: size, read: read)
        switch try directory.entries() {
        case .unreadable(let reason):
            return .damaged(reason)
        case .entries(let entries):
            guard let container = entries.first(where: { $0.name == "META-INF/container.xml" }) else {
                return .other(KnownFormat.name(ofArchiveWith: entries.map(\.name), head: head))
            }
            guard container.offset < size, container.compressedSize <= size - container.offset else {
                return .damaged("Its container.xml lies outside the file.")
            }
            return .epub
        }
    }
}
