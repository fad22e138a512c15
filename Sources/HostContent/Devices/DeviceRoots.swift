import DeviceTransport
import HostErrors
import OverlayABI
import Synchronization

/// The roots of an app on a device: the granted access, and the files of each root, which are opened at most once.
///
/// If opening a root fails, the next call that needs it tries again.
package final class DeviceRoots: Sendable {
    /// The device.
    package let device: any DeviceAccess
    /// The app.
    package let app: ReaderApp
    /// The information of the device.
    package let information: DeviceInformation
    /// The access that iOS grants.
    package let access: GrantedRoots
    private let opened = Mutex<[DeviceRoot.Kind: any FileAccess]>([:])

    /// Creates the roots of an app on a device. Does not open them.
    package init(
        device: any DeviceAccess, app: ReaderApp, information: DeviceInformation, access: GrantedRoots
    ) {
        self.device = device
        self.app = app
        self.information = information
        self.access = access
    }

    /// The files of a root. Throws the reason if access is not granted.
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

    /// The space on the device, requested with the first granted root.
    package func space(_ context: OperationContext) throws(HostError) -> StorageSpace {
        guard let kind = access.granted.first else {
            throw access.refusalOfAppFiles.map { HostError($0) }
                ?? HostError(
                    .accessRefused, "iOS does not allow access to this app's files.", subject: app.name)
        }
        let files = try files(kind, context)
        do throws(TransportError) { return try files.space(context) } catch { throw HostError(error) }
    }

    /// Closes the connections to the files, but not the device.
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

    /// Creates the kind for an `OVL_ROOT_…` number; nil for other numbers.
    package init?(number: UInt32) {
        guard let kind = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = kind
    }
}
