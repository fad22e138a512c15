import Foundation

/// An app's files mounted by ifuse, for programs that only work with files.
struct IfuseMount {
    private let ifuse: String
    private let unmount: String
    private let device: BareDevice
    /// The mount point.
    let folder: String

    /// Nil if ifuse is not installed or nothing can be mounted.
    init?(_ device: BareDevice, at folder: String) {
        guard let ifuse = ProgramRun.installed("ifuse"), let unmount = ProgramRun.installed("fusermount"),
            FileManager.default.isWritableFile(atPath: "/dev/fuse")
        else { return nil }
        (self.ifuse, self.unmount, self.device, self.folder) = (ifuse, unmount, device, folder)
    }

    /// What ifuse shows as its root: the shared folder, or the container.
    var root: String { device.vend == "VendDocuments" ? "/Documents" : "" }

    /// Does some work while the files are mounted; returns seconds, including the start of ifuse.
    func seconds(_ work: () throws -> Void) throws -> Double {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let option = root.isEmpty ? "--container" : "--documents"
        let seconds = Result {
            try Stopwatch.seconds {
                _ = try ProgramRun.of([ifuse, option, device.app, folder, "-u", device.udid])
                try work()
            }
        }
        _ = try ProgramRun.of([unmount, "-u", folder])
        return try seconds.get()
    }
}
