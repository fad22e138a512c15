import BookModel
import FoundationEssentials
import Glibc
import OverlayHost
import Platform

/// The meaning of the argument of `info`: a book on a device, or something that can be read without a device.
enum BookArgument: Equatable {
    /// Standard input.
    case input
    /// The resource at a URL.
    case url
    /// A local file.
    case file
    /// A local folder, which is not a book.
    case folder
    /// A local path that does not exist.
    case missing
    /// A book on a device. A name that looks like a file name may have been meant as a file that does not exist.
    case book(looksLikeFile: Bool)

    /// Determines the meaning of `text`.
    ///
    /// An existing file takes precedence over a book. But if a device is named and `text` is a bare word, it means a
    /// book, because a title may also be the name of a file.
    ///
    /// - Parameters:
    ///   - namesDevice: whether the command line also names a device or an app.
    ///   - folder: the folder for relative paths; nil means the current folder.
    init(_ text: String, namesDevice: Bool, in folder: String? = nil) {
        if text == "-" {
            self = .input
            return
        }
        if OpenContent.isURL(text) {
            self = .url
            return
        }
        let looksLikeFile = Self.looksLikeFile(text)
        var isFolder = false
        let path = folder.map { $0 + "/" + text } ?? text
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        if exists, !isFolder, looksLikeFile || !namesDevice {
            self = .file
        } else if exists, isFolder, looksLikeFile, !namesDevice {
            self = .folder
        } else if !exists, text.utf8.starts(with: "./".utf8) || text.utf8.starts(with: "../".utf8) {
            self = .missing
        } else {
            self = .book(looksLikeFile: looksLikeFile)
        }
    }

    /// Whether a path is that of a local folder.
    static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }

    /// Whether a text contains a folder, or has the extension of a book.
    static func looksLikeFile(_ text: String) -> Bool {
        if text.hasSlash || text == "." || text == ".." { return true }
        let ending = text.nameEnding.lowercased()
        return FileFormat.of(ending).map { $0.kind != .other || $0.mediaType != nil } ?? false
    }
}
