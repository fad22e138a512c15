import DeviceTransport

/// The reader apps on one device, which stays open: for work on each of them over one session with the device.
///
/// Use the sessions with the apps one after the other, and call `close` after the last one has ended.
///
/// ```swift
/// func countBooks(_ request: SessionRequest) throws {
///     let device = try DeviceApps(request)
///     defer { device.close() }
///     for app in device.apps {
///         var request = request
///         request.found = app
///         let session = try HostSession(request)
///         defer { session.close() }
///         let books = try session.books()
///         print(app.name, books.count)
///     }
/// }
/// ```
public struct DeviceApps {
    /// The served reader apps on the device, in the order of `ReaderAppSurvey.apps`. Whether iOS grants access to an
    /// app's files shows when its session is opened.
    public let apps: [FoundReaderApp]
    private let device: any DeviceAccess

    /// Opens the selected device and asks it which apps it has. Blocks. The app of the request is ignored.
    ///
    /// - Throws: an error if there is no such device, or if it cannot be asked.
    public init(_ request: SessionRequest) throws(HostError) {
        let context = OperationContext(cancellation: request.cancellation)
        let overlays = try ReaderTarget.facts(request).overlays
        let opened = try ReaderTarget.opened(request, context)
        device = opened.device
        do throws(HostError) {
            apps = try ReaderAppSurvey.candidates(on: opened.device, overlays, context).map { app in
                FoundReaderApp(
                    .init(bundleID: app.id, name: app.name, sharesFiles: app.sharesFiles),
                    overlay: app.overlay, on: opened)
            }
        } catch {
            opened.device.close()
            throw error
        }
    }

    /// Closes the device.
    public func close() { device.close() }
}
