import Diagnostics
import Glibc
import OverlayABI
import Preferences

/// A checked and copied library for an `OverlayRunner`.
package struct CopiedLibrary: Sendable {
    /// The path of the file that was found.
    package let file: String
    /// The path of the private copy, which is loaded.
    package let copy: String
    /// The folder for temporary files.
    package let temporary: String
    private let copies: PrivateCopies

    init(file: String, copy: String, temporary: String, copies: PrivateCopies) {
        (self.file, self.copy, self.temporary, self.copies) = (file, copy, temporary, copies)
    }

    /// Creates the copy again if another process has removed it. Throws an error if the file has changed in the
    /// meantime.
    package func renew() throws(OverlayRefusal) { try copies.renew(copy, of: file) }
}

/// Loads libraries where the code of overlays runs, and reads their tables. Any thread.
package protocol OverlayRunner: Sendable {
    /// Loads the library, and runs its constructors and its entry function.
    func load(_ library: CopiedLibrary) throws(OverlayRefusal) -> LoadedOverlay

    /// The time for which an overlay may continue after its method was cancelled; nil if there is no limit.
    var longestAfterCancel: Duration? { get }

    /// Calls `body` with every number below `count`, and returns when all calls have ended. Uses several threads if
    /// overlays cannot disturb each other while they are loaded, otherwise one.
    func each(_ count: Int, _ body: @escaping @Sendable (Int) -> Void)
}

extension OverlayRunner {
    /// Uses the caller's thread, because the constructors of libraries in one process could disturb each other.
    package func each(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        for number in 0..<count { body(number) }
    }
}

/// Runs overlays in this process. For debuggers.
package struct InProcessRunner: OverlayRunner {
    /// Creates a runner.
    package init() {}

    /// Nil, because a method in this process cannot be ended.
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

    /// Opens the library; nil if another process has removed the copy because the file has a newer version.
    private func open(_ copy: String) throws(OverlayRefusal) -> DynamicLibrary? {
        do {
            return try DynamicLibrary(path: copy)
        } catch {
            if access(copy, F_OK) != 0, errno == ENOENT { return nil }
            throw LinkFailure.refusal(error.text, copy: copy)
        }
    }
}

/// Loads an overlay from a file, or refuses the file. Fast checks precede those that run code of the overlay.
struct OverlayLoader {
    private let copies: PrivateCopies
    private let temporary: String
    private let runner: any OverlayRunner

    init(paths: HostPaths, runner: any OverlayRunner) {
        copies = PrivateCopies(paths: paths)
        temporary = paths.temporary
        self.runner = runner
    }

    /// Loads `file`, and runs the library's constructors and its entry function.
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
