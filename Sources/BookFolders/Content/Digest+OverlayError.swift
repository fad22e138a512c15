import OverlayKit
import Platform

extension Digest {
    /// The digest. Ends it.
    package func finished() throws(OverlayError) -> [UInt8] {
        guard let digest = finish() else {
            throw OverlayError(
                .failed, "A digest cannot be computed: libcrypto of this computer refuses.",
                hint: "Install OpenSSL's usual algorithms.")
        }
        return digest
    }
}
