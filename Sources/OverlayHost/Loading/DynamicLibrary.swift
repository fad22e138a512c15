import Glibc

/// The one place that calls the dynamic linker. Libraries are never closed: the Swift runtime keeps pointers into images.
struct DynamicLibrary {
    // The handle is only ever given to dlsym, which any thread may call.
    private let handle: UnsafeMutableRawPointer

    /// What the dynamic linker said.
    struct Failure: Error {
        let text: String
    }

    /// Loads a library with all its symbols bound, visible to nobody else, never unmapped.
    init(path: String) throws(Failure) {
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            throw Failure(text: Self.lastError())
        }
        self.handle = handle
    }

    /// The address of an exported symbol.
    func symbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(handle, name) }

    private static func lastError() -> String {
        dlerror().map { String(cString: $0) } ?? "the dynamic linker gave no reason"
    }
}
