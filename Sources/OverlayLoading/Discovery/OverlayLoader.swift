import Diagnostics
import Glibc
import OverlayABI
import Preferences

/// A library that was checked and copied, for an `OverlayRunner`.
package struct CopiedLibrary: Sendable {
    /// The file that was found.
    package let file: String
    /// The private copy, which is loaded.
    package let copy: String
    /// The folder for temporary files.
    package let temporary: String
    private let copies: PrivateCopies

    init(file: String, copy: String, temporary: String, copies: PrivateCopies) {
        (self.file, self.copy, self.temporary, self.copies) = (file, copy, temporary, copies)
    }

    /// Makes the copy again when another process has removed it. Throws if the file has changed since.
    package func renew() throws(OverlayRefusal) { try copies.renew(copy, of: file) }
}

/// Where the code of overlays runs: loads a library there and reads its tables. Any thread.
package protocol OverlayRunner: Sendable {
    /// Loads the library; runs its constructors and its entry function.
    func load(_ library: CopiedLibrary) throws(OverlayRefusal) -> LoadedOverlay

    /// How long an overlay may continue after its method was cancelled; nil: any time.
    var longestAfterCancel: Duration? { get }

    /// Calls `body` with every number below `count` and returns when all calls have ended: side by side on several threads if
    /// loading one overlay cannot disturb another, else one after the other.
    func each(_ count: Int, _ body: @escaping @Sendable (Int) -> Void)
}

extension OverlayRunner {
    /// One after the other on the caller's thread: the constructors of libraries in one process could meet.
    package func each(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        for number in 0..<count { body(number) }
    }
}

/// Runs overlays in this process, for debuggers.
package struct InProcessRunner: OverlayRunner {
    /// A runner.
    package init() {}

    /// Nothing ends a method in this process.
    package var longestAfterCancel: Duration? { nil }

    package func load(_ library: CopiedLibrary) throws(OverlayRefusal) -> LoadedOverlay {
        var image = try open(library.copy)
        if image == nil {
            try library.renew()
            image = try open(library.copy)
        }
        guard let image else {
            throw OverlayRefusal(
                .copyFailed, "The private copy \(library.copy) has disappeared.", hint: "Try again.")
        }
        guard let symbol = image.symbol("ovl_entry_v1") else {
            throw OverlayRefusal(.noEntry, "It has no entry function ovl_entry_v1.")
        }
        typealias Entry = @convention(c) () -> UnsafeRawPointer?
        let tables = try EntryReader.read(unsafeBitCast(symbol, to: Entry.self)())
        return LoadedOverlay(
            file: library.file, loadedFile: library.copy, descriptor: tables.descriptor, entry: tables.entry,
            methods: tables.methods)
    }

    /// The library; nil if another process has removed the copy, as it does for the newer version of a file.
    private func open(_ copy: String) throws(OverlayRefusal) -> DynamicLibrary? {
        do {
            return try DynamicLibrary(path: copy)
        } catch {
            if access(copy, F_OK) != 0, errno == ENOENT { return nil }
            throw LinkFailure.refusal(error.text, copy: copy)
        }
    }
}

/// Turns one file into a loaded overlay, or says why not. Cheap checks come before those that run the overlay's code.
struct OverlayLoader {
    private let copies: PrivateCopies
    private let temporary: String
    private let runner: any OverlayRunner

    init(paths: HostPaths, runner: any OverlayRunner) {
        copies = PrivateCopies(paths: paths)
        temporary = paths.temporary
        self.runner = runner
    }

    /// Loads `file`. Runs the library's constructors and its entry function.
    func load(_ file: String) throws(OverlayRefusal) -> LoadedOverlay {
        let source = try SourceFile(file)
        try checkEntry(source)
        let copy = try copies.copy(of: source.descriptor, path: source.realPath, status: source.status)
        return try runner.load(
            CopiedLibrary(file: file, copy: copy, temporary: temporary, copies: copies))
    }

    private func checkEntry(_ source: borrowing SourceFile) throws(OverlayRefusal) {
        let majors = try ELFImage(source).entryMajors
        guard let newest = majors.last else {
            throw OverlayRefusal(
                .noEntry,
                "It is a library, but does not export the entry function "
                    + "\(ELFImage.entryPrefix)\(OVL_ABI_MAJOR).",
                hint: "It is not an overlay, or was linked without exporting the function.")
        }
        if !majors.contains(OVL_ABI_MAJOR), let refusal = EntryReader.wrongMajor(newest) { throw refusal }
    }
}
