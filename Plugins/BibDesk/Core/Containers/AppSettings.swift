import OverlayKit
import PropertyLists

/// The app's own settings for its libraries.
struct AppSettings {
    /// The largest settings file that is read, in bytes.
    private static let largest = 4 << 20

    /// The folder of the libraries in Dropbox, such as `/Papers`; `/` if the settings do not name one; nil if they
    /// cannot be read.
    static func dropboxFolder(_ host: HostServices) throws(OverlayError) -> String? {
        guard let appID = try host.transport.device().appID else { return nil }
        let path = "/Library/Preferences/\(appID).plist"
        let bytes: [UInt8]
        do throws(OverlayError) {
            bytes = try host.transport.readAll(.container, path, limit: largest)
        } catch {
            if error.endsTheCall { throw error }
            host.log.notice("bibdesk", "Cannot read the app's settings: \(error.message)", ["file": path])
            return nil
        }
        do {
            let list = try PropertyList(
                parsing: bytes, limits: PropertyListLimits(bytes: largest, values: 100_000, depth: 32))
            return list["BDSKDropboxBibFilePathKey"]?.string ?? "/"
        } catch {
            host.log.notice("bibdesk", "Cannot read the app's settings: \(error)", ["file": path])
            return nil
        }
    }
}
