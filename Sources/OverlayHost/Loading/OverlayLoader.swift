import Glibc
import OverlayABI

/// Turns one file into a loaded overlay, or says why not. Cheap checks come before those that run the overlay's code.
struct OverlayLoader {
    /// Largest library that is copied, bytes.
    static let largest: Int64 = 1 << 30

    private let copies: PrivateCopies
    private let isolation: OverlayIsolation
    private let temporary: String
    private let observer: OverlayObserver?

    init(
        paths: HostPaths, isolation: OverlayIsolation = .inProcess, observer: OverlayObserver? = nil
    ) {
        self.observer = observer
        copies = PrivateCopies(paths: paths)
        self.isolation = isolation
        temporary = paths.temporary
    }

    /// Loads `file`. Runs the library's constructors and its entry function.
    func load(_ file: String) throws(OverlayRefusal) -> LoadedOverlay {
        let overlay = try loadUnobserved(file)
        return observer?.observed(overlay, isolation) ?? overlay
    }

    private func loadUnobserved(_ file: String) throws(OverlayRefusal) -> LoadedOverlay {
        let source = try SourceFile(file)
        defer { source.close() }
        try checkELF(source)
        if case .worker(let options) = isolation { return try loadInWorker(source, file, options) }
        // The copy can vanish when another process finds a newer version of the file and removes outdated copies.
        var (copy, library) = try open(source, file)
        if library == nil { (copy, library) = try open(source, file) }
        guard let library else {
            throw OverlayRefusal(.copyFailed, "The private copy \(copy) has disappeared.", hint: "Try again.")
        }
        guard let symbol = library.symbol("ovl_entry_v1") else {
            throw OverlayRefusal(.noEntry, "It has no entry function ovl_entry_v1.")
        }
        typealias Entry = @convention(c) () -> UnsafeRawPointer?
        let tables = try EntryReader.read(unsafeBitCast(symbol, to: Entry.self)())
        return LoadedOverlay(
            file: file, loadedFile: copy, descriptor: tables.descriptor, entry: tables.entry,
            methods: tables.methods)
    }

    private func loadInWorker(
        _ source: SourceFile, _ file: String, _ options: WorkerOptions
    ) throws(OverlayRefusal) -> LoadedOverlay {
        let copy = try copies.copy(of: source.descriptor, path: source.realPath, status: source.status)
        let overlay = WorkerOverlay(library: copy, of: file, temporary: temporary, options: options) {
            [copies] () throws(OverlayRefusal) in try copies.renew(copy, of: file)
        }
        let tables = try overlay.describe()
        return LoadedOverlay(
            file: file, loadedFile: copy, descriptor: tables.descriptor, entry: tables.entry,
            methods: tables.methods, factory: overlay, endSpare: { overlay.endSpare() })
    }

    private func checkELF(_ source: SourceFile) throws(OverlayRefusal) {
        let image: ELFImage
        do {
            image = try ELFImage(size: UInt64(source.status.st_size)) { source.bytes($0, $1) }
        } catch {
            throw OverlayRefusal(.notALibrary, "The file \(error.clause).")
        }
        let majors = image.entryMajors
        guard let newest = majors.last else {
            throw OverlayRefusal(
                .noEntry,
                "It is a library, but does not export the entry function "
                    + "\(ELFImage.entryPrefix)\(OVL_ABI_MAJOR).",
                hint: "It is not an overlay, or was linked without exporting the function.")
        }
        if !majors.contains(OVL_ABI_MAJOR), let refusal = EntryReader.wrongMajor(newest) { throw refusal }
    }

    /// The copy's path and the library; no library if the copy vanished before it was loaded.
    private func open(
        _ source: SourceFile, _ file: String
    ) throws(OverlayRefusal) -> (copy: String, library: DynamicLibrary?) {
        let copy = try copies.copy(of: source.descriptor, path: source.realPath, status: source.status)
        do {
            return (copy, try DynamicLibrary(path: copy))
        } catch {
            if access(copy, F_OK) != 0, errno == ENOENT { return (copy, nil) }
            throw LinkFailure.refusal(error.text, copy: copy)
        }
    }
}
