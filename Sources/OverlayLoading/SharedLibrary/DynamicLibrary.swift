import Glibc

/// A library that was opened with the dynamic linker. Libraries are never closed, because the Swift runtime keeps
/// pointers into images.
package struct DynamicLibrary {
    // The handle is only used with dlsym, which may be called from any thread.
    private let handle: UnsafeMutableRawPointer

    /// An error message of the dynamic linker.
    package struct Complaint: Error {
        package let text: String
    }

    /// Loads a library and binds all its symbols, which are not visible to other libraries. The library is never
    /// unmapped.
    package init(path: String) throws(Complaint) {
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            throw Complaint(text: Self.lastError())
        }
        self.handle = handle
    }

    /// The address of an exported symbol.
    package func symbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(handle, name) }

    private static func lastError() -> String {
        dlerror().map { String(cString: $0) } ?? "the dynamic linker gave no reason"
    }
}
