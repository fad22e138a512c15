import COverlayHost
import Glibc
import Platform

/// The program that the library was installed or built with.
enum InstalledProgram {
    /// Its file: beside the library while developing, else in `../bin`. Nil if it is in neither.
    static let path: String? = {
        guard let place = library_place(), let real = realpath(place, nil) else { return nil }
        defer { free(real) }
        let folder = String(cString: real).pathNames.dropLast()
        let places = [folder.dropLast() + ["bin"], folder].map {
            "/" + $0.joined(separator: "/") + "/overlayhost"
        }
        return places.first(where: isProgram)
    }()

    /// Whether a file may be run; beside an installed library there is a folder of this name.
    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
