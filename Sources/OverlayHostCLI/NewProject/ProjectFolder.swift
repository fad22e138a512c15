import Glibc
import OverlayHost
import Platform

/// The folder of a new project, which must not exist.
struct ProjectFolder {
    let path: String

    /// Writes all files; leaves nothing behind if that fails.
    func write(_ files: [ProjectTemplate.File]) throws(HostError) {
        guard mkdir(path, 0o777) == 0 else { throw failure(errno) }
        var folders = [path]
        var written: [String] = []
        do throws(HostError) {
            for file in files {
                try makeFolders(of: file.path, &folders)
                let place = "\(path)/\(file.path)"
                try NewFile.write(file.content, to: place, what: "project")
                written.append(place)
            }
        } catch {
            for place in written { unlink(place) }
            for folder in folders.reversed() { rmdir(folder) }
            throw error
        }
    }

    /// Throws `alreadyExists` if the path exists, as `write` would.
    func checkIsNew() throws(HostError) {
        var status = stat()
        if lstat(path, &status) == 0 { throw failure(EEXIST) }
    }

    private func makeFolders(of file: String, _ folders: inout [String]) throws(HostError) {
        var folder = path
        for part in file.pathNames.dropLast() {
            folder += "/\(part)"
            if folders.contains(folder) { continue }
            guard mkdir(folder, 0o777) == 0 else { throw failure(errno) }
            folders.append(folder)
        }
    }

    private func failure(_ code: Int32) -> HostError {
        if code == EEXIST {
            return HostError(
                .alreadyExists,
                "Cannot create the project: a file or folder with this name already "
                    + "exists.",
                subject: path, hint: "Choose another folder with --output, or move the existing one away.")
        }
        return HostError(
            code == ENOSPC ? .noSpace : .outputNotCreated,
            "Cannot create the project folder: \(systemText(code)).", subject: path,
            native: .posix(code))
    }
}
