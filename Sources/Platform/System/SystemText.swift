import Glibc

/// The system's sentence for an errno, such as `No such file or directory`. Any thread.
package func systemText(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// The sentence for an errno about a file that the user named, such as `Cannot read the file: Permission denied.`. A
/// missing file is only `No such file or directory.` Any thread.
package func fileProblem(_ failed: String, _ code: Int32) -> String {
    code == ENOENT ? systemText(code) + "." : "\(failed): \(systemText(code))."
}
