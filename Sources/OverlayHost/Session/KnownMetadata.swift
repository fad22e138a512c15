import JSON
import Platform

/// The metadata of an upload's books from sources other than their content, within the limits of one upload.
///
/// For use by one thread at a time.
final class KnownMetadata {
    /// The largest size of one cover, in bytes.
    static let largestCover: UInt64 = 8 << 20
    /// The largest total size of the covers in one upload, in bytes.
    static let allCovers: UInt64 = 256 << 20

    /// The abilities of the reader app.
    let settings: AppAbilities
    private let mapping: ColumnMapping?
    /// Receives a sentence for each sidecar that cannot be read; nil if these were reported before.
    private let sidecarNotice: (@Sendable (String) -> Void)?
    /// Whether the reader app supports covers.
    let wantsCovers: Bool
    private let coverRoom: UInt64
    private var coverBytes: UInt64 = 0
    private var sidecars: [ExactText: Sidecar?] = [:]

    /// Reads the preferences of a session and the options of an upload.
    ///
    /// - Parameter isQuiet: whether to omit messages about mappings that are not used.
    init(_ session: HostSession, _ options: UploadRequest, isQuiet: Bool = false) throws(HostError) {
        settings = try session.settings()
        let notice = isQuiet ? nil : session.request.notice
        sidecarNotice = options.reportsSidecars ? session.request.notice : nil
        coverRoom = options.coverRoom
        wantsCovers = settings.settableMetadata.contains("cover") && settings.missing("covers") == nil
        let overlay = session.overlay
        let values = try session.request.preferences.read().with(
            session.request.overlays.schema(using: overlay))
        let owner = values.schema["cc_mappings"]?.owner
        guard owner == .readerApp(overlay.appName) || options.library != nil else {
            mapping = nil
            return
        }
        let mappings = try values.value("cc_mappings")
        if options.library == nil, let folder = options.libraryFolder {
            mapping = try mappings?.object?[folder].flatMap { _ throws(HostError) in
                try ColumnMapping(mappings, library: folder)
            }
            return
        }
        mapping = try ColumnMapping(mappings, library: options.library)
        for remark in mappings.map(ColumnMapping.remarks) ?? [] { notice?("cc_mappings: \(remark)") }
        if mapping == nil, let libraries = mappings?.object?.members, libraries.count > 1 {
            let names = libraries.map(\.name).joined(separator: ", ")
            notice?(
                "The preference cc_mappings has several libraries (\(names)). Choose one with --library NAME; "
                    + "otherwise none is used.")
        }
    }

    /// The reason why the next cover cannot have this size; nil if it can.
    func coverObstacle(_ size: UInt64) -> String? {
        if size > Self.largestCover { return "it is larger than \(ByteCount.text(Self.largestCover))." }
        guard size > coverRoom - min(coverRoom, coverBytes) else { return nil }
        return "the covers in one upload are limited to \(ByteCount.text(coverRoom)). Add it with "
            + "'overlayhost update BOOK --cover FILE'."
    }

    /// The metadata of the file, with values of its sidecar and its library taking precedence.
    ///
    /// - Parameters:
    ///   - library: the library's metadata of the book.
    ///   - coverProblem: the reason why the file's own cover is missing; nil if it is not missing or the file has
    ///     none.
    ///   - warnings: receives a sentence for each part that is omitted.
    func complete(
        _ description: BookRecord?, of file: String, _ library: LibraryDescription? = nil,
        coverProblem: String?, warnings: inout [String]
    ) -> BookRecord? {
        var book = description
        var problem = coverProblem
        if library?.usesSidecar ?? true, let sidecar = sidecar(of: file) {
            book = BookRecord(path: book?.path ?? "", (book?.book ?? Book()).overridden(by: sidecar.book))
            if let mapping { book = book.map { mapping.applied(sidecar.columns, to: $0) } }
            if wantsCovers {
                do throws(HostError) {
                    if let cover = try sidecar.cover(coverObstacle) {
                        book?.cover = cover
                        problem = nil
                    }
                } catch {
                    warnings.append("Leaving out the cover \(error.subject ?? ""): \(error.message)")
                }
            }
        }
        if let library {
            let known = (book?.book ?? Book()).overridden(by: applied(library))
            book = BookRecord(path: book?.path ?? "", known)
            if wantsCovers, let file = library.coverFile {
                do throws(HostError) {
                    book?.cover = try Sidecar.image(at: file, coverObstacle)
                    problem = nil
                } catch {
                    warnings.append("Leaving out the cover \(error.subject ?? ""): \(error.message)")
                }
            }
        }
        if let problem { warnings.append("The cover was left out: \(problem)") }
        coverBytes += UInt64(book?.cover?.data?.count ?? 0)
        return book
    }

    /// A library's metadata of a book, including the columns in `cc_mappings`.
    func applied(_ library: LibraryDescription) -> Book {
        mapping?.applied(library.columns, to: BookRecord(path: "", library.book)).book ?? library.book
    }

    /// The sidecar of a file. A sidecar that cannot be read is reported and ignored.
    private func sidecar(of file: String) -> Sidecar? {
        guard let path = Sidecar.path(for: file) else { return nil }
        if let known = sidecars[ExactText(path)] { return known }
        let sidecar: Sidecar?
        do throws(HostError) {
            sidecar = try Sidecar(path: path, followsLink: false)
        } catch {
            sidecar = nil
            sidecarNotice?("Not using the sidecar \(path): \(error.message)")
        }
        sidecars[ExactText(path)] = .some(sidecar)
        return sidecar
    }
}
