import DeviceTransport
import HostErrors
import OverlayABI
import Synchronization

/// The places of one app on one device: what is granted, and the files of each, opened at most once.
///
/// A root that could not be opened leaves nothing behind, and is tried again by the next call that needs it.
package final class DeviceRoots: Sendable {
    /// The device.
    package let device: any DeviceAccess
    /// The app.
    package let app: ReaderApp
    /// What the device says about itself.
    package let information: DeviceInformation
    /// What iOS grants.
    package let access: GrantedRoots
    private let opened = Mutex<[DeviceRoot.Kind: any FileAccess]>([:])

    /// The roots of an app on a device; nothing is opened yet.
    package init(
        device: any DeviceAccess, app: ReaderApp, information: DeviceInformation, access: GrantedRoots
    ) {
        self.device = device
        self.app = app
        self.information = information
        self.access = access
    }

    /// The files of a root. Throws why it is not granted.
    package func files(_ kind: DeviceRoot.Kind, _ context: OperationContext) throws(HostError)
        -> any FileAccess
    {
        if let files = opened.withLock({ $0[kind] }) { return files }
        guard access.granted.contains(kind) else {
            if let refusal = access.refused.first(where: { $0.root == kind }) {
                throw HostError(refusal.error)
            }
            throw HostError(
                .accessRefused, "iOS does not allow access to this location.", subject: kind.rawValue)
        }
        let root: DeviceRoot =
            switch kind {
            case .container: .container(bundleID: app.bundleID)
            case .documents: .documents(bundleID: app.bundleID)
            case .media: .media
            }
        let files: any FileAccess
        do throws(TransportError) {
            files = try device.openFiles(root, context)
        } catch {
            throw HostError(error)
        }
        return opened.withLock { opened in
            if let other = opened[kind] {
                files.close()
                return other
            }
            opened[kind] = files
            return files
        }
    }

    /// How full the device is, asked through the first root that is granted.
    package func space(_ context: OperationContext) throws(HostError) -> StorageSpace {
        guard let kind = access.granted.first else {
            throw HostError(
                .accessRefused, "iOS does not allow access to this app's files.", subject: app.name)
        }
        let files = try files(kind, context)
        do throws(TransportError) { return try files.space(context) } catch { throw HostError(error) }
    }

    /// Ends the connections to the files. The device stays its owner's.
    package func close() {
        let all = opened.withLock { opened in
            defer { opened = [:] }
            return Array(opened.values)
        }
        for files in all { files.close() }
    }
}

extension DeviceRoot.Kind {
    /// The `OVL_ROOT_…` number.
    package var number: UInt32 {
        switch self {
        case .container: OVL_ROOT_CONTAINER
        case .documents: OVL_ROOT_DOCUMENTS
        case .media: OVL_ROOT_MEDIA
        }
    }

    /// The kind of an `OVL_ROOT_…` number; nil for another number.
    package init?(number: UInt32) {
        guard let kind = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = kind
    }
}
