import COverlayHost
import Glibc

/// The program that the library was installed or built with.
enum InstalledProgram {
    /// Its file: beside the library while developing, else in `../bin`. Nil if it is in neither.
    static let path: String? = {
        guard let place = library_place(), let real = realpath(place, nil) else { return nil }
        defer { free(real) }
        let folder = String(cString: real).split(separator: "/").dropLast()
        let places = [folder, folder.dropLast() + ["bin"]].map {
            "/" + $0.joined(separator: "/") + "/overlayhost"
        }
        return places.first { access($0, X_OK) == 0 }
    }()
}
