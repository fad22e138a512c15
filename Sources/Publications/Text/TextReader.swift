import Archives
import Formats
import FoundationEssentials
import Markup

/// Reads plain text, which says nothing about itself: its title is the file's name.
enum TextReader: PublicationReader {
    static var mediaTypes: [MediaType] { [.text] }

    static func read(_ input: PublicationInput) throws(PublicationError) -> PublicationInfo {
        // Reading nothing would call a file sound that cannot be opened at all.
        _ = try input.length()
        var info = PublicationInfo(format: input.format)
        info.completeTitle(from: input)
        return info
    }
}
