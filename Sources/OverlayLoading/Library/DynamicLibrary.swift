import Glibc

/// The one place that calls the dynamic linker. Libraries are never closed: the Swift runtime keeps pointers into images.
package struct DynamicLibrary {
    // The handle is only ever given to dlsym, which any thread may call.
    private let handle: UnsafeMutableRawPointer

    /// What the dynamic linker said.
    package struct Complaint: Error {
        package let text: String
    }

    /// Loads a library with all its symbols bound, invisible to other libraries, never unmapped.
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
