import COverlayHost
import Glibc
import OverlayHost
import OverlayHostCLI
import Platform

/// The object for a command of a C program.
private final class Handle: Sendable {
    let command: EmbeddedCommand

    init(_ words: [String]) { command = EmbeddedCommand(words) }

    /// The object for a pointer from `overlayhost_command_make`.
    static func behind(_ pointer: OpaquePointer) -> Handle {
        Unmanaged<Handle>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }
}

/// `@unchecked`: contains a pointer that is only passed back to the program.
private struct Listener: @unchecked Sendable {
    let context: UnsafeMutableRawPointer?
    let output: overlayhost_output?

    func take(_ bytes: [UInt8]) {
        guard let output else { return }
        bytes.withUnsafeBytes { buffer in
            guard let address = buffer.baseAddress else { return }
            output(context, address.assumingMemoryBound(to: CChar.self), UInt64(buffer.count))
        }
    }
}

/// Creates a command; see overlayhost.h.
@c @implementation
public func overlayhost_command_make(
    _ words: UnsafePointer<UnsafePointer<CChar>>?, _ count: UInt32
) -> OpaquePointer? {
    let texts = (0..<Int(count)).compactMap { place in words.map { String(cString: $0[place]) } }
    return OpaquePointer(Unmanaged.passRetained(Handle(texts)).toOpaque())
}

/// Runs a command; see overlayhost.h.
@c @implementation
public func overlayhost_command_run(
    _ command: OpaquePointer, _ ctx: UnsafeMutableRawPointer?, _ result: overlayhost_output?,
    _ note: overlayhost_output?
) -> Int32 {
    let (documents, notes) = (Listener(context: ctx, output: result), Listener(context: ctx, output: note))
    guard let program = InstalledProgram.path else {
        notes.take(
            Array("Cannot find the program overlayhost next to the library. Install both together.\n".utf8))
        return OVERLAYHOST_CONFIGURATION
    }
    let command = Handle.behind(command).command
    return QuietThread.run {
        command.run(program: program, result: { documents.take($0) }, note: { notes.take(Array($0.utf8)) })
    }
}

/// Ends a command; see overlayhost.h.
@c @implementation
public func overlayhost_command_cancel(_ command: OpaquePointer) { Handle.behind(command).command.cancel() }

/// Releases a command; see overlayhost.h.
@c @implementation
public func overlayhost_command_free(_ command: OpaquePointer?) {
    guard let command else { return }
    Unmanaged<Handle>.fromOpaque(UnsafeRawPointer(command)).release()
}

/// Never freed, like the library.
private nonisolated(unsafe) let version = UnsafePointer(strdup(OverlayHostVersion.text))

/// The version of the host; see overlayhost.h.
@c @implementation
public func overlayhost_version() -> UnsafePointer<CChar> { version! }

/// The program with which the library was installed or built.
private enum InstalledProgram {
    /// The path of the program: beside the library during development, otherwise in `../bin`; nil if it is in
    /// neither.
    static let path: String? = {
        guard let place = library_place(), let real = realpath(place, nil) else { return nil }
        defer { free(real) }
        let folder = String(cString: real).pathNames.dropLast()
        let places = [folder.dropLast() + ["bin"], folder].map {
            "/" + $0.joined(separator: "/") + "/overlayhost"
        }
        return places.first(where: isProgram)
    }()

    /// Whether a file is executable. An installed library has a folder with this name beside it.
    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}

/// A thread that does not receive signals of the program. This also applies to threads that it creates.
///
/// Writing to a closed connection raises SIGPIPE, which must not end the program that uses the library.
private enum QuietThread {
    /// Runs `body` and returns its result.
    static func run(_ body: () -> Int32) -> Int32 {
        withoutActuallyEscaping(body) { body in
            // This thread waits for the new one, so only one of them uses the captured values and the result at a
            // time.
            nonisolated(unsafe) let body = body
            nonisolated(unsafe) var result: Int32 = 0
            var (all, before) = (sigset_t(), sigset_t())
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &before)
            let thread = SystemThread { result = body() }
            pthread_sigmask(SIG_SETMASK, &before, nil)
            guard let thread else { return 74 }
            thread.join()
            return result
        }
    }
}
