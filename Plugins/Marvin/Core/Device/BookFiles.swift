import BookFolders
import OverlayKit

/// Which of some books have their files among the documents, for as few requests as that takes.
struct BookFiles {
    /// So many files are asked for one by one; for more the folder is listed, which is one request however many books there are.
    private static let few = 16

    private let names: [String]
    private let device: MarvinDevice

    /// - Parameter names: names of files, each a safe name.
    init(_ names: [String], _ device: MarvinDevice) {
        (self.names, self.device) = (names, device)
    }

    /// The bytes of those names that are there now.
    func present() throws(OverlayError) -> Set<[UInt8]> {
        guard names.count > Self.few else { return try asked(names) }
        let listed = try device.names(in: device.paths.documents) ?? []
        let found = Set(listed.map(\.bytes)).intersection(names.map(\.bytes))
        // A folder may spell a name in another way than the library. Only the device knows whether both are one file.
        let alike = NameTable(listed)
        return found.union(try asked(names.filter { alike.contains($0) && !found.contains($0.bytes) }))
    }

    /// The bytes of those names that the device finds when it is asked for each.
    private func asked(_ names: [String]) throws(OverlayError) -> Set<[UInt8]> {
        let files = try device.files(names.map(device.paths.document))
        return Set(zip(names, files).compactMap { $1 == nil ? nil : $0.bytes })
    }

    /// The bytes of those names that are still there after a deletion: as a file, or in Marvin's library.
    func remaining() throws(OverlayError) -> Set<[UInt8]> {
        let listed = Set(try device.libraryNames().map(\.fileName.bytes))
        return try present().union(listed.intersection(names.map(\.bytes)))
    }
}
