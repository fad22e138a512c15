import OverlayKitTesting
import OverlayKit
import Testing

@testable import Marvin

extension MarvinTestHost {
    /// Uploads with a new overlay. Returns the rows in the order of the items, each item exactly once, and the
    /// method's error.
    func upload(
        _ items: [UploadItem], _ options: UploadOptions = UploadOptions(),
        by overlay: MarvinOverlay? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (rows: [ItemResult], error: OverlayError?) {
        var rows: [ItemResult] = []
        let overlay = try overlay ?? self.overlay()
        var failure: OverlayError?
        do throws(OverlayError) {
            try overlay.uploadBooks(items, options: options) { rows.append($0) }
        } catch {
            failure = error
        }
        // A host ends the names of a method when the method returns.
        ended.formUnion(names)
        rows.sort { $0.index < $1.index }
        #expect(rows.map(\.index) == Array(items.indices), sourceLocation: sourceLocation)
        return (rows, failure)
    }
}
