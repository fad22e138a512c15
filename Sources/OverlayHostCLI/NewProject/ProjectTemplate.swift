import FoundationEssentials
import Glibc
import OverlayHost

/// The template for a language, filled in for a name.
///
/// A template is a working example for an app named Satchel, so that the tests can build it; with placeholders it
/// would not compile. The new name replaces the old one in a single pass. Templates are files and not part of the
/// program, so that people can read and change them.
struct ProjectTemplate {
    let language: ProjectLanguage
    let name: ProjectName
    let bundleID: String
    let places: TemplatePlaces

    /// A file of the new project.
    struct File: Equatable {
        /// Its path, with `/` between folders.
        var path: String
        var content: [UInt8]
    }

    /// All files of the new project.
    func files() throws(HostError) -> [File] {
        var files: [File] = []
        for path in language.files {
            let content = try Self.read("\(places.templates)/\(language.folder)/\(path)")
            files.append(File(path: filled(path), content: Array(filled(content).utf8)))
        }
        let contract =
            language.headers.map { ("include/\($0)", "include/\($0)") }
            + language.signatures.map { ("bridge/\($0)", $0) }
        for (path, place) in contract {
            let content = try Self.read("\(places.contract)/\(place)")
            files.append(File(path: path, content: Array(content.utf8)))
        }
        return files
    }

    /// The text with the template's words replaced, in a single pass so that inserted text is not replaced again.
    private func filled(_ text: String) -> String {
        let words = [
            ("org.example.satchel", bundleID), ("../../Support/OverlayKit", Self.quoted(places.overlayKit)),
            ("Satchel", name.title), ("satchel", name.id),
        ]
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(where: { "oSs.".contains($0) }) {
            result += rest[..<start]
            rest = rest[start...]
            if let (word, value) = words.first(where: { rest.hasPrefix($0.0) }) {
                result += value
                rest = rest.dropFirst(word.count)
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result + rest
    }

    /// A path as the content of a Swift string literal.
    private static func quoted(_ path: String) -> String {
        path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    private static func read(_ path: String) throws(HostError) -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw HostError(
                .inputUnreadable, "Cannot read a file of the project template.", subject: path,
                hint: "The overlayhost installation is incomplete. Install it again.")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
