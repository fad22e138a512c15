import MarvinCommands
import OverlayKit
import Platform

extension EmbeddedCover {
    /// The id of an image for both sides: its MD5 in hexadecimal.
    static func hash(of image: [UInt8]) throws(OverlayError) -> String {
        let digest = Digest(.md5)
        digest.add(image)
        return Hex.text(try digest.finished())
    }
}
