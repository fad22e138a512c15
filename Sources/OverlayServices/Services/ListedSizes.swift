/// The sizes of books as they were listed, by the paths of their files on the device.
///
/// An overlay names a book by a part of the path that it asks the device for, so that the longest end of a path counts. A wrong
/// size costs a request and does no other harm.
struct ListedSizes {
    private var sizes: [String: UInt64] = [:]

    /// No sizes.
    init() {}

    /// - Parameter books: the paths by which an overlay names books, with the sizes that it listed.
    init(_ books: [(path: String, size: UInt64?)]) {
        for (path, size) in books { sizes[Self.relative(path)] = size }
    }

    /// The size of the file at a path on the device; nil if it is not known.
    func find(_ path: String) -> UInt64? {
        guard !sizes.isEmpty else { return nil }
        var rest = Self.relative(path)
        while true {
            if let size = sizes[rest] { return size }
            guard let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
            rest = Self.relative(String(rest[slash...]))
        }
    }

    private static func relative(_ path: String) -> String {
        String(Substring(path.utf8.drop { $0 == UInt8(ascii: "/") }))
    }
}
