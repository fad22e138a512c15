import Foundation

/// How much more memory a piece of work needs than the process had before it.
enum PeakMemory {
    /// The largest growth of the process's resident memory during the work, in bytes. Memory of earlier work that is
    /// used again does not count.
    static func growth(_ work: () throws -> Void) throws -> Int {
        // Writing 5 resets the highest resident size in the kernel.
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        let before = try kilobytes("VmRSS")
        try work()
        return (try kilobytes("VmHWM") - before) * 1024
    }

    private static func kilobytes(_ field: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(field + ":") }),
            let number = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
        else { throw BenchmarkFailure("The kernel does not say \(field).") }
        return number
    }
}
