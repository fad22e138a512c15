import DeviceDatabases
import OverlayKit

/// Everything that a listing depends on and that can be had in a few requests.
///
/// Files that are written in place, with no change in their folder nor in the library, are not noticed; Marvin, which replaces
/// a book or a cover, notes it in its library.
struct LibraryState: Equatable, Sendable {
    /// A folder; a name that comes or goes changes its time.
    struct Folder: Equatable, Sendable {
        /// nil: it is not there.
        var modified: Int64?
        var size: UInt64 = 0
    }

    /// Which library it is.
    var root: UInt32
    var library: String
    var mark: DatabaseMark
    var documents: Folder
    /// The folders that covers may be in, in their order.
    var covers: [Folder]

    /// Looks at the library and the folders.
    ///
    /// - Throws: `notFound` when there is no library.
    static func take(_ device: MarvinDevice) throws(OverlayError) -> LibraryState {
        let paths = device.paths
        let (mark, infos) = try DatabaseMark.take(
            device.host, paths.root, paths.library, and: [paths.documents] + paths.covers)
        guard mark.sizes[0] != nil else { throw .noLibrary(paths.library) }
        let folders = infos.map { Folder(modified: $0?.modified, size: $0?.size ?? 0) }
        return LibraryState(
            root: paths.root.rawValue, library: paths.library, mark: mark,
            documents: folders.first ?? Folder(), covers: Array(folders.dropFirst()))
    }

    /// The latest time in it.
    var latest: Int64 {
        let folders = ([documents] + covers).compactMap(\.modified)
        return (mark.times + folders).max() ?? 0
    }

    /// Whether a time that the device's clock had reached leaves room for no more changes in the tick of the latest one.
    ///
    /// Older file systems of the device keep whole seconds; two of them cover a clock that is rounded.
    func isSettled(at deviceTime: Int64) -> Bool {
        let (age, overflow) = deviceTime.subtractingReportingOverflow(latest)
        return !overflow && age >= Self.tick
    }

    /// Nanoseconds within which two changes may bear the same time.
    static let tick: Int64 = 2_000_000_000
}

extension OverlayError {
    /// Marvin has made no library yet.
    static func noLibrary(_ path: String) -> OverlayError {
        OverlayError(
            .notFound, "Marvin has no library on this device.", subject: path,
            hint: "Open Marvin once and let it show its library.")
    }
}
