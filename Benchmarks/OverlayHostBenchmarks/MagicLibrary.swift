import Glibc

/// libmagic, loaded when the benchmark runs, because only this comparison needs it.
final class MagicLibrary {
    private typealias Open = @convention(c) (Int32) -> OpaquePointer?
    private typealias Load = @convention(c) (OpaquePointer, UnsafePointer<CChar>?) -> Int32
    private typealias File = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> UnsafePointer<CChar>?
    private typealias Close = @convention(c) (OpaquePointer) -> Void
    private typealias Version = @convention(c) () -> Int32

    private let cookie: OpaquePointer
    private let file: File
    private let closing: Close
    /// The version, such as `5.44`.
    let version: String

    /// Opens the library with its own database for media types; nil if it is not installed.
    init?() {
        guard let library = dlopen("libmagic.so.1", RTLD_NOW | RTLD_LOCAL),
            let open = dlsym(library, "magic_open"), let load = dlsym(library, "magic_load"),
            let file = dlsym(library, "magic_file"), let close = dlsym(library, "magic_close"),
            let version = dlsym(library, "magic_version")
        else { return nil }
        let mediaTypes: Int32 = 0x10
        guard let cookie = unsafeBitCast(open, to: Open.self)(mediaTypes) else { return nil }
        closing = unsafeBitCast(close, to: Close.self)
        self.cookie = cookie
        self.file = unsafeBitCast(file, to: File.self)
        let number = unsafeBitCast(version, to: Version.self)()
        self.version = "\(number / 100).\(number % 100)"
        guard unsafeBitCast(load, to: Load.self)(cookie, nil) == 0 else { return nil }
    }

    deinit { closing(cookie) }

    /// The media type of a file.
    func mediaType(ofFile path: String) -> String? { file(cookie, path).map { String(cString: $0) } }

    /// The same, without making a string of it.
    @discardableResult
    func sniff(_ path: UnsafePointer<CChar>) -> Bool { file(cookie, path) != nil }
}
