import Foundation

/// The open descriptors of this process, to check for leaks.
public enum OpenDescriptors {
    /// The descriptors that are open on a file. Other tests' files do not matter.
    public static func of(_ path: String) -> [Int32] {
        (0..<4_096).filter { descriptor in
            var target = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
            return count > 0 && target.prefix(count).map { UInt8(bitPattern: $0) } == Array(path.utf8)
        }
    }
}
