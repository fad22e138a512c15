import Fetching
import Foundation
import OverlayHost

/// What the argument of `info` means: a book on a device, or something that can be read without one.
enum BookArgument: Equatable {
    /// Standard input.
    case input
    /// What is behind a URL.
    case url
    /// A file of this computer.
    case file
    /// A folder of this computer, which is no book.
    case folder
    /// Nothing that is there, and written as only a place of this computer is.
    case missing
    /// A book on a device. A name that looks like that of a file may have been meant as one that is not there.
    case book(looksLikeFile: Bool)

    /// The meaning of `text`.
    ///
    /// A file that exists goes before a book. Where a device is named and `text` is a bare word, a book is meant: a title may
    /// happen to be the name of a file.
    ///
    /// - Parameters:
    ///   - namesDevice: whether a device or an app is named beside it.
    ///   - folder: where relative paths begin; nil: the current folder.
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
        var isFolder: ObjCBool = false
        let path = folder.map { $0 + "/" + text } ?? text
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        if exists, !isFolder.boolValue, looksLikeFile || !namesDevice {
            self = .file
        } else if exists, isFolder.boolValue, looksLikeFile, !namesDevice {
            self = .folder
        } else if !exists, text.hasPrefix("./") || text.hasPrefix("../") {
            self = .missing
        } else {
            self = .book(looksLikeFile: looksLikeFile)
        }
    }

    /// Whether a path is that of a folder of this computer.
    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// Whether a text has a folder in it, or the extension of a book.
    static func looksLikeFile(_ text: String) -> Bool {
        if text.contains("/") || text == "." || text == ".." { return true }
        guard let dot = text.lastIndex(of: "."), dot != text.startIndex else { return false }
        return endings.contains(text[text.index(after: dot)...].lowercased())
            || MediaTypeByExtension.type(ofPath: text) != nil
    }

    /// Extensions of books that are no types of web resources.
    private static let endings: Set<String> = [
        "azw", "azw1", "azw3", "azw4", "chm", "djvu", "doc", "docx", "fb2", "kepub", "kfx", "lit", "mobi",
        "odt",
        "pdb", "prc", "rb", "rtf", "tpz",
    ]
}
