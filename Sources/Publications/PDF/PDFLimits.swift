/// How much work one PDF file may cause.
///
/// Real files stay far below; the values only keep a hostile file from costing more than a large honest one.
struct PDFLimits: Sendable {
    /// How many bytes may be read from the source altogether.
    var readBytes = 32 << 20
    /// The largest file whose objects are searched for byte by byte when its cross-reference is damaged; 0 for never.
    ///
    /// The search reads the whole file: right for a file on a disk, wrong for one at the end of a cable.
    var recoveryBytes = 0
    /// The longest written form of an object, without the data of a stream.
    var objectBytes = 1 << 20
    /// How deep arrays and dictionaries may be nested.
    var depth = 64
    /// How many values one object may hold.
    var values = 100_000
    /// How many objects may be fetched.
    var objects = 4_096
    /// How many sections (updates of the file) the cross-reference may have.
    var sections = 1_024
    /// The most bytes of a stream as stored.
    var streamBytes = 16 << 20
    /// The most bytes that one stream may become when decoded.
    var decodedBytes = 16 << 20
    /// The most bytes that all streams together may become when decoded.
    var allDecodedBytes = 64 << 20
    /// The largest cover.
    var coverBytes = 32 << 20
}
