/// The listed sizes of books, by the paths of their files on the device.
///
/// An overlay may identify a book by the end of its file's path on the device, so the longest matching end is used. A
/// wrong size costs a request, but does no other harm.
struct ListedSizes {
    private var sizes: [String: UInt64] = [:]

    /// Creates an empty list.
    init() {}

    /// - Parameter books: the paths with which an overlay identifies books, and the sizes that it listed.
    init(_ books: [(path: String, size: UInt64?)]) {
        for (path, size) in books { sizes[Self.relative(path)] = size }
    }

    /// The size of the file at a path on the device; nil if unknown.
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
