import Foundation
import Glibc

/// Whether a process has ended, even if it was not reaped. Orphans stay if process 1 does not reap them.
public func hasEnded(_ process: Int32) throws -> Bool {
    guard kill(process, 0) == 0, let file = FileHandle(forReadingAtPath: "/proc/\(process)/stat") else {
        return true
    }
    // The state follows the name, which is in brackets and may contain some itself.
    let line = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    let state = line[(line.lastIndex(of: ")") ?? line.startIndex)...].dropFirst(2).first
    return state == nil || state == "Z" || state == "X"
}
