import OverlayKit
import Platform

extension Digest {
    /// The digest. Ends it.
    package func finished() throws(OverlayError) -> [UInt8] {
        guard let digest = finish() else {
            throw OverlayError(
                .failed, "Cannot compute a digest: libcrypto does not provide the algorithm.",
                hint: "Install OpenSSL's usual algorithms.")
        }
        return digest
    }
}
