import Platform

/// The attached devices, as usbmuxd reports them.
///
/// `USBMUXD_SOCKET_ADDRESS` selects the daemon; it is read at every call. All methods block. Do not call them on
/// threads of Swift's concurrency pool.
public struct DeviceCatalog: Sendable {
    private let trace: DeviceTrace?

    /// Creates a catalogue; `trace` records its calls.
    public init(trace: DeviceTrace? = nil) { self.trace = trace }

    /// The attached devices, in usbmuxd's order. A device with several links has one entry.
    ///
    /// Throws `.muxUnavailable` if usbmuxd does not answer.
    public func devices(_ context: OperationContext = OperationContext()) throws(TransportError)
        -> [DeviceDescription]
    {
        let entries = try trace.call("usbmuxd.ListDevices") { () throws(TransportError) in
            try LibraryCall.run(context, life: nil) { MuxDirectory.list() }
        }
        var order: [String] = []
        var links: [String: [DeviceLink]] = [:]
        for entry in entries {
            if links[entry.udid] == nil { order.append(entry.udid) }
            if links[entry.udid]?.contains(entry.link) != true {
                links[entry.udid, default: []].append(entry.link)
            }
        }
        return order.map { DeviceDescription(udid: $0, links: links[$0] ?? []) }
    }

    /// Finds the device that the selector identifies.
    ///
    /// - Parameter selector: nil means the only attached device. Otherwise the beginning of a UDID (ignoring case and
    ///   dashes) or of the device's name (ignoring case). A complete UDID or name takes precedence over beginnings.
    ///
    /// Throws `.noDevice` or `.ambiguousDevice`, with the choices in the hint.
    public func device(matching selector: String? = nil, _ context: OperationContext = OperationContext())
        throws(TransportError) -> DeviceDescription
    {
        let devices = try devices(context)
        guard !devices.isEmpty else {
            throw TransportError(
                .noDevice, "No device is attached.", subject: selector,
                hint: "Connect the device with its cable, unlock it, and tap Trust when it asks.")
        }
        guard let selector else {
            guard devices.count == 1 else {
                throw ambiguous(
                    "\(devices.count) devices are attached.", nil, try names(of: devices, context))
            }
            return devices[0]
        }
        let wanted = DeviceSelector(selector)
        if let device = devices.first(where: { wanted.isWhole(udid: $0.udid) }) { return device }
        let named = try names(of: devices, context)
        let whole = named.filter { $0.1.map(wanted.isWhole(name:)) ?? false }
        let found =
            whole.isEmpty
            ? named.filter { wanted.begins(udid: $0.0.udid) || ($0.1.map(wanted.begins(name:)) ?? false) }
            : whole
        if found.count == 1 { return found[0].0 }
        if found.isEmpty {
            throw TransportError(
                .noDevice, "No attached device has this name or UDID.", subject: selector,
                hint: "Attached: \(Self.choices(named)).")
        }
        throw ambiguous("\(found.count) attached devices match.", selector, found)
    }

    /// Starts listening. The subscription first delivers the attached devices, then changes.
    public func events() -> DeviceEventSubscription {
        let subscription = DeviceEventSubscription()
        DeviceEventHub.shared.add(subscription)
        return subscription
    }

    /// The devices with their names. A device that does not report its name can still be matched by its UDID.
    private func names(of devices: [DeviceDescription], _ context: OperationContext) throws(TransportError)
        -> [(DeviceDescription, String?)]
    {
        var named: [(DeviceDescription, String?)] = []
        for device in devices {
            do throws(TransportError) {
                let session = try DeviceSession(device, options: DeviceSessionOptions(trace: trace), context)
                named.append((device, try session.publicName(context)))
            } catch {
                try context.check()
                named.append((device, nil))
            }
        }
        return named
    }

    private func ambiguous(
        _ message: String, _ selector: String?, _ choices: [(DeviceDescription, String?)]
    ) -> TransportError {
        TransportError(
            .ambiguousDevice, message, subject: selector,
            hint: "Name one of them: \(Self.choices(choices)).")
    }

    private static func choices(_ devices: [(DeviceDescription, String?)]) -> String {
        devices.map { device, name in name.map { "\($0) (\(device.udid))" } ?? device.udid }.joined(
            separator: ", ")
    }
}

/// A selector for a device, as the user typed it.
package struct DeviceSelector {
    private let name: String
    private let udid: String

    /// Creates a selector. Ignores case, and dashes in a UDID.
    package init(_ text: String) {
        name = text.lowercased()
        udid = UDID.plain(text)
    }

    /// Whether it equals this UDID.
    package func isWhole(udid other: String) -> Bool { !udid.isEmpty && UDID.plain(other) == udid }
    /// Whether it equals this name.
    package func isWhole(name other: String) -> Bool { other.lowercased() == name }
    /// Whether the UDID begins with it.
    package func begins(udid other: String) -> Bool { !udid.isEmpty && UDID.plain(other).hasPrefix(udid) }
    /// Whether the name begins with it.
    package func begins(name other: String) -> Bool { !name.isEmpty && other.lowercased().hasPrefix(name) }
}
