import FoundationEssentials
import Glibc

/// A file without a name that is reached by the path of its descriptor; each input replaces its content.
enum ScratchFile {
    private static let descriptor = createUnnamed()

    /// Returns the path of a file with this content; nil if it cannot be made. Only the fuzzer's one thread may call
    /// it.
    static func path(holding data: Data) -> String? {
        guard descriptor >= 0, ftruncate(descriptor, 0) == 0 else { return nil }
        let written = data.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        return written == data.count ? "/proc/self/fd/\(descriptor)" : nil
    }

    private static func createUnnamed() -> CInt {
        let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        var pattern = Array((folder + "/fuzzer-XXXXXX").utf8CString)
        return pattern.withUnsafeMutableBufferPointer { pattern in
            guard let name = pattern.baseAddress else { return -1 }
            let descriptor = mkstemp(name)
            if descriptor >= 0 { unlink(name) }
            return descriptor
        }
    }
}
